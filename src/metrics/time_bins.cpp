#include "metrics/time_bins.hpp"

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "core/time_bin.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"

namespace ventral::metrics {
namespace {

/// The edges of that name; empty if there are none for so many bins.
std::vector<double> edges(const std::vector<core::Coordinate>& coordinates, const char* name,
                          std::size_t bins) {
    const auto found = std::find_if(coordinates.begin(), coordinates.end(),
                                    [&](const auto& labels) { return labels.name == name; });
    if (found == coordinates.end() || core::value_count(found->values) != bins) return {};
    return core::as_float64(found->values);
}

}  // namespace

core::Assembly time_bins_as_presentations(const core::Assembly& assembly) {
    const std::size_t bin_count = core::dimension_size(assembly, "time_bin");
    if (bin_count == 0)
        throw core::InputError("the assembly '" + assembly.name + "' has no time bins");
    auto rows = presentation_by_neuroid(at_time_bin(assembly, 0));
    const std::size_t count = rows.dims[0].size;
    std::vector<std::size_t> repeated;
    for (std::size_t row = 0; row < count * bin_count; ++row) repeated.push_back(row % count);
    for (auto& labels : rows.coordinates)
        if (labels.dim == "presentation") labels.values = core::take(labels.values, repeated);
    rows.dims[0].size = repeated.size();
    std::visit(
        [&](auto& values) {
            values.reserve(values.size() * bin_count);
            for (std::size_t bin = 1; bin < bin_count; ++bin) {
                const auto table = presentation_by_neuroid(at_time_bin(assembly, bin));
                const auto& more = std::get<std::decay_t<decltype(values)>>(table.values);
                values.insert(values.end(), more.begin(), more.end());
            }
        },
        rows.values);
    return rows;
}

void require_same_bins_in_order(const core::Assembly& source, const core::Assembly& target) {
    const auto ours = core::dimension_size(source, "time_bin");
    const auto theirs = core::dimension_size(target, "time_bin");
    const auto edges_differ = [&](const char* edge) {
        if (!core::find_coordinate(source, edge) && !core::find_coordinate(target, edge))
            return false;
        return core::as_float64(core::coordinate(source, edge).values) !=
               core::as_float64(core::coordinate(target, edge).values);
    };
    for (const char* edge : {"time_bin_start", "time_bin_end"})
        if (ours != theirs || edges_differ(edge))
            throw core::InputError(std::string("source and target differ in '") + edge + "' (" +
                                   std::to_string(ours) + " and " + std::to_string(theirs) +
                                   " time bins; they must be the same, in the same order)");
}

std::vector<std::string> time_bin_names(const std::vector<core::Coordinate>& coordinates,
                                        std::size_t bins) {
    const auto starts = edges(coordinates, "time_bin_start", bins);
    const auto ends = edges(coordinates, "time_bin_end", bins);
    const bool known = starts.size() == bins && ends.size() == bins;
    std::vector<std::string> names;
    for (std::size_t bin = 0; bin < bins; ++bin)
        names.push_back(known ? core::name_of(core::TimeBin{starts[bin], ends[bin]})
                              : "time bin " + std::to_string(bin));
    return names;
}

}  // namespace ventral::metrics

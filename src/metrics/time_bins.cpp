#include "metrics/time_bins.hpp"

#include <vector>

#include "core/errors.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"

namespace ventral::metrics {

core::Assembly time_bins_as_presentations(const core::Assembly& assembly) {
    const std::size_t bin_count = core::dimension_size(assembly, "time_bin");
    if (bin_count == 0)
        throw core::InputError("the assembly '" + assembly.name + "' has no time bins");
    std::vector<core::Assembly> bins;
    for (std::size_t bin = 0; bin < bin_count; ++bin)
        bins.push_back(presentation_by_neuroid(at_time_bin(assembly, bin)));
    core::Assembly rows = bins.front();
    const std::size_t count = rows.dims[0].size;
    std::vector<std::size_t> repeated;
    for (std::size_t row = 0; row < count * bins.size(); ++row) repeated.push_back(row % count);
    for (auto& labels : rows.coordinates)
        if (labels.dim == "presentation") labels.values = core::take(labels.values, repeated);
    rows.dims[0].size = repeated.size();
    std::visit(
        [&](auto& values) {
            for (std::size_t bin = 1; bin < bins.size(); ++bin) {
                const auto& more = std::get<std::decay_t<decltype(values)>>(bins[bin].values);
                values.insert(values.end(), more.begin(), more.end());
            }
        },
        rows.values);
    return rows;
}

void check_equal_time_bins(const core::Assembly& source, const core::Assembly& target) {
    for (const char* edge : {"time_bin_start", "time_bin_end"}) {
        const auto ours = core::as_float64(core::coordinate(source, edge).values);
        const auto theirs = core::as_float64(core::coordinate(target, edge).values);
        if (ours != theirs)
            throw core::InputError(std::string("source and target differ in '") + edge + "' (" +
                                   std::to_string(ours.size()) + " and " +
                                   std::to_string(theirs.size()) +
                                   " time bins; they must be the same, in the same order)");
    }
}

}  // namespace ventral::metrics

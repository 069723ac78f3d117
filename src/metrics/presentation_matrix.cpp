#include "metrics/presentation_matrix.hpp"

#include <cmath>
#include <type_traits>

#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

std::string label_of(const core::Assembly& assembly, const std::string& name,
                     std::size_t position) {
    const auto* labels = core::find_coordinate(assembly, name);
    return labels ? core::text(labels->values, position) : std::to_string(position);
}

/// Nothing but presentations and neuroids, and at most one time bin.
void check_dimensions(const core::Assembly& assembly) {
    const bool timed = core::has_dimension(assembly, "time_bin");
    const auto bins = timed ? core::dimension_size(assembly, "time_bin") : 1;
    if (bins != 1)
        throw core::InputError(
            "the assembly '" + assembly.name + "' has " + std::to_string(bins) +
            " time bins (one is needed) select one beforehand, or by time_bins of a benchmark");
    core::require_presentations_by_neuroids(assembly);
}

/// Calls `use(presentation, neuroid, value)` for all entries, one presentation after the other.
template <typename Use>
void visit_numbers(const PresentationView& table, const Use& use) {
    std::visit(
        [&](const auto& values) {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>)
                core::as_float64(table.values);  // which throws
            else
                for (std::size_t i = 0; i < table.rows; ++i)
                    for (std::size_t j = 0; j < table.neuroids; ++j)
                        use(i, j,
                            static_cast<double>(
                                values[i * table.row_stride + j * table.neuroid_stride]));
        },
        table.values);
}

}  // namespace

core::Assembly presentation_by_neuroid(core::Assembly assembly) {
    check_dimensions(assembly);
    const bool is_turned = core::dimension_index(assembly, "presentation") >
                           core::dimension_index(assembly, "neuroid");
    // Neither copies what is as it should be already: features may be most of all memory.
    if (core::has_dimension(assembly, "time_bin")) assembly = core::squeeze(assembly, "time_bin");
    if (is_turned) assembly = core::transpose(assembly, {"presentation", "neuroid"});
    return assembly;
}

void require_entries(const core::Assembly& assembly) {
    for (const auto& dim : assembly.dims)
        if (dim.size == 0)
            throw core::InputError("the assembly '" + assembly.name +
                                   "' is empty (its dimension '" + dim.name + "' has no entries)");
}

PresentationView view_presentations(const core::Assembly& assembly) {
    check_dimensions(assembly);
    const bool rows_first = core::dimension_index(assembly, "presentation") <
                            core::dimension_index(assembly, "neuroid");
    const auto rows = core::dimension_size(assembly, "presentation");
    const auto neuroids = core::dimension_size(assembly, "neuroid");
    if (rows_first) return {assembly.values, rows, neuroids, neuroids, 1};
    return {assembly.values, rows, neuroids, 1, rows};
}

stats::Matrix matrix_of(const core::Assembly& assembly) {
    const auto table = view_presentations(assembly);
    stats::Matrix matrix(static_cast<Eigen::Index>(table.rows),
                         static_cast<Eigen::Index>(table.neuroids));
    visit_numbers(table, [&](std::size_t i, std::size_t j, double value) {
        matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value;
    });
    return matrix;
}

void check_finite(const core::Assembly& assembly, const std::string& role) {
    visit_numbers(view_presentations(assembly), [&](std::size_t i, std::size_t j, double value) {
        if (std::isfinite(value)) return;
        const bool is_nan = std::isnan(value);
        throw core::InputError(
            "the " + role + " is " + (is_nan ? "NaN" : "infinite") + " at stimulus '" +
            label_of(assembly, "stimulus_id", i) + "', neuroid '" +
            label_of(assembly, "neuroid_id", j) +
            "' (a regression cannot be fitted to it) leave such presentations out" +
            (is_nan ? ", as a benchmark's dropna = \"presentation\" does," : "") +
            " or such neuroids");
    });
}

std::vector<std::size_t> neuroid_order(const core::Assembly& assembly) {
    const auto& ids = core::coordinate(assembly, "neuroid_id");
    return core::sorted_positions({&ids.values}, core::value_count(ids.values));
}

std::vector<core::Coordinate> neuroid_coordinates(const core::Assembly& assembly,
                                                  const std::vector<std::size_t>& order) {
    std::vector<core::Coordinate> sorted;
    for (const auto& labels : assembly.coordinates)
        if (labels.dim == "neuroid")
            sorted.push_back({labels.name, "neuroid", core::take(labels.values, order)});
    return sorted;
}

}  // namespace ventral::metrics

#include "core/time_bin.hpp"

#include "core/coordinates_along.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::core {

std::string name_of(const TimeBin& bin) {
    return number_text(bin.start_ms) + " to " + number_text(bin.end_ms) + " ms";
}

const Coordinate& time_bin_edges(const Assembly& assembly, const std::string& name) {
    if (const auto* edges = find_coordinate(assembly, name, "time_bin")) return *edges;
    const auto* elsewhere = find_coordinate(assembly, name);
    throw InputError(
        assembly.name + ": " +
        (elsewhere ? "'" + name + "' lies along '" + elsewhere->dim + "'"
                   : "no coordinate '" + name + "'") +
        " (along 'time_bin': " + coordinates_along(assembly, "time_bin") +
        ") give its bins the coordinates time_bin_start and time_bin_end along 'time_bin', in "
        "milliseconds after the stimulus' onset");
}

TimeBins time_bins_of(const Assembly& assembly) {
    if (!has_dimension(assembly, "time_bin")) return {};
    const auto starts = as_float64(time_bin_edges(assembly, "time_bin_start").values);
    const auto ends = as_float64(time_bin_edges(assembly, "time_bin_end").values);
    TimeBins bins;
    for (std::size_t i = 0; i < starts.size(); ++i) bins.push_back({starts[i], ends[i]});
    return bins;
}

std::vector<Coordinate> time_coordinates(const TimeBins& bins) {
    std::vector<double> starts, ends;
    for (const auto& bin : bins) {
        starts.push_back(bin.start_ms);
        ends.push_back(bin.end_ms);
    }
    return {{"time_bin_start", "time_bin", starts}, {"time_bin_end", "time_bin", ends}};
}

}  // namespace ventral::core

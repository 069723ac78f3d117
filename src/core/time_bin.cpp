#include "core/time_bin.hpp"

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::core {

std::string name_of(const TimeBin& bin) {
    return number_text(bin.start_ms) + " to " + number_text(bin.end_ms) + " ms";
}

TimeBins time_bins_of(const Assembly& assembly) {
    if (!has_dimension(assembly, "time_bin")) return {};
    const auto edges = [&](const char* name) {
        const auto& labels = coordinate(assembly, name);
        if (labels.dim != "time_bin")
            throw InputError(assembly.name + ": '" + name + "' lies along '" + labels.dim +
                             "' (time_bin is needed)");
        return as_float64(labels.values);
    };
    const auto starts = edges("time_bin_start");
    const auto ends = edges("time_bin_end");
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

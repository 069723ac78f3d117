#include "core/time_bin.hpp"

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::core {

std::string name_of(const TimeBin& bin) {
    return number_text(bin.start_ms) + " to " + number_text(bin.end_ms) + " ms";
}

TimeBins time_bins_of(const Assembly& assembly) {
    if (!has_dimension(assembly, "time_bin")) return {};
    const auto starts = as_float64(coordinate(assembly, "time_bin_start").values);
    const auto ends = as_float64(coordinate(assembly, "time_bin_end").values);
    if (starts.size() != dimension_size(assembly, "time_bin") || starts.size() != ends.size())
        throw InputError(assembly.name +
                         ": time_bin_start and time_bin_end do not label the time bins");
    TimeBins bins;
    for (std::size_t i = 0; i < starts.size(); ++i) bins.push_back({starts[i], ends[i]});
    return bins;
}

}  // namespace ventral::core

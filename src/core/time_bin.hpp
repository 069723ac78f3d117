#pragma once
/// @file
/// Intervals of time after a stimulus' onset.

#include <compare>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// From `start_ms` to before `end_ms` after the stimulus' onset; ordered by start, then end.
struct TimeBin {
    double start_ms = 0;
    double end_ms = 0;

    auto operator<=>(const TimeBin&) const = default;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& start_ms& end_ms;
    }
};

using TimeBins = std::vector<TimeBin>;

/// "70 to 90 ms".
std::string name_of(const TimeBin& bin);

/// The coordinate `name` along `time_bin`, `time_bin_start` or `time_bin_end`. Throws `InputError`,
/// which says what is needed, if there is none.
const Coordinate& time_bin_edges(const Assembly& assembly, const std::string& name);

/// Those along the dimension `time_bin`, by the coordinates `time_bin_start` and `time_bin_end`, in
/// their order; none without that dimension. Throws `InputError` if they do not label it.
TimeBins time_bins_of(const Assembly& assembly);

/// The coordinates `time_bin_start` and `time_bin_end` of these bins, float64.
std::vector<Coordinate> time_coordinates(const TimeBins& bins);

}  // namespace ventral::core

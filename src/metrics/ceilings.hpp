#pragma once
/// @file
/// The table of ceilings by their Brain-Score names.

#include <functional>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"

namespace ventral::metrics {

struct RegisteredCeiling {
    std::string name;
    int version;
    std::function<core::Score(const core::Assembly& repetitions, core::Workers&)> compute;
    std::size_t least_repetitions = 1;
    bool per_time_bin = false;       ///< a value for each time bin; else it takes one bin
    bool compares_subjects = false;  ///< not repetitions
};

const std::vector<RegisteredCeiling>& registered_ceilings();

/// Throws `core::InputError` as the ceiling does where there are too few repetitions for it, no
/// neuroid_id or no time bins, by their labels alone.
void check_repetitions(const RegisteredCeiling& ceiling, const core::Assembly& labels);
/// Likewise where stimuli lack repetitions that the ceiling compares; `labels` are all those of the
/// presentations that it is computed from.
void check_each_stimulus(const RegisteredCeiling& ceiling, const core::Assembly& labels);

/// Throws `core::InputError` that lists the names there are.
const RegisteredCeiling& find_ceiling(const std::string& name);

}  // namespace ventral::metrics

#pragma once
/// @file
/// What features that change in time need, before a unit runs.

#include <cstddef>
#include <map>
#include <string>

#include "core/assembly.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct TimeNeeds {
    std::size_t most_bins = 0;  ///< of a Gram; 0: the features do not change in time
    std::size_t gram_rows = 0;  ///< of the longest Gram
    std::map<std::size_t, std::string> unusable;  ///< benchmarks, and why they cannot have them
};

/// Recordings that cannot be scored need nothing: `ventral check` and the run say what is wrong
/// with them.
TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit,
                     const core::Assembly& features, RecordingsReader& recordings);
/// Of a network with [time], on so many stimuli.
TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit, std::size_t stimuli,
                     RecordingsReader& recordings);

}  // namespace ventral::pipeline

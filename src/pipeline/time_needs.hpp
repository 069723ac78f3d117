#pragma once
/// @file
/// What time bins add to the needs of a unit, before it runs.

#include <cstddef>
#include <string>

#include "core/assembly.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/recordings.hpp"

namespace ventral::pipeline {

struct TimeNeeds {
    std::size_t gram_rows = 0;  ///< of the longest Gram of features that change in time
    /// Of the Gram of the longest fit that spans time bins, gathered from that of the features.
    double gathered_bytes = 0;
    std::string problem;  ///< why features that change in time cannot be scored, or empty
};

/// `features` are the model's if they are stored, else null. Recordings that cannot be scored need
/// nothing: `ventral check` and the run say what is wrong with them.
TimeNeeds time_needs(const config::RunRecord& run, const PlannedUnit& unit,
                     const core::Assembly* features, RecordingsReader& recordings);

}  // namespace ventral::pipeline

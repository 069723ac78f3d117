#pragma once
/// @file
/// Images that no network could be shown: told before the night, not in its middle.

#include <string>
#include <vector>

#include "benchmarks/dataset_record.hpp"
#include "core/stimulus_set.hpp"
#include "core/workers.hpp"
#include "pipeline/watch/progress.hpp"

namespace ventral::pipeline {

/// Decodes every image of `stimuli`. Of each that `stimuli::decode` refuses, in their order, its
/// reason, which names the file (`with_image`: the row, if they are private).
std::vector<std::string> damaged_images(const core::StimulusSet& stimuli, benchmarks::Access access,
                                        core::Workers& workers, Progress& progress);

}  // namespace ventral::pipeline

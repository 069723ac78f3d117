#pragma once
/// @file
/// Whether activations were extracted from images as wide as a benchmark shows them.

#include <string>

#include "core/stimulus_set.hpp"
#include "io/activations_file.hpp"

namespace ventral::pipeline {

/// Whether `extract` has written a file of features: its groups are layers, with checksums and the
/// widths of the images. Throws `core::InputError` if it cannot be read.
bool is_extracted(const std::string& path);

/// Says so if a stimulus that both have was shown at other visual degrees than the stimulus set
/// states: by Brain-Score's `place_on_screen` the model has seen another image. Empty if there is
/// none, and if the file does not say how wide its images were, which is warned of. No stimulus is
/// named: they may be private. Throws `core::InputError` if the file is damaged.
std::string degrees_problem(const io::ActivationsFile& activations,
                            const core::StimulusSet& stimuli);

}  // namespace ventral::pipeline

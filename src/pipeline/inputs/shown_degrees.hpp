#pragma once
/// @file
/// Whether activations were extracted from images as wide as a benchmark shows them.

#include <optional>
#include <string>
#include <vector>

#include "core/stimulus_set.hpp"

namespace ventral::pipeline {

/// Whether `extract` has written a file of features: its groups are layers, with checksums and the
/// widths of the images. Throws `core::InputError` if it cannot be read.
bool is_extracted(const std::string& path);

/// What activations were extracted from.
struct ShownImages {
    std::string path;  ///< of the activations
    std::vector<std::string> stimulus_ids;
    std::vector<double> visual_degrees;  ///< none if the file does not say it
};

/// Throws `core::InputError` if the file is damaged.
ShownImages shown_images(const std::string& path);

/// Says so if a stimulus that both have was shown at other visual degrees than the stimulus set
/// has: by Brain-Score's `place_on_screen` the model has seen another image. Nothing if there is
/// none. No stimulus is named, and of widths those that all have and the one that is stated for all
/// of the set (`stated_degrees`): others may be private.
std::optional<std::string> degrees_problem(const ShownImages& shown,
                                           const core::StimulusSet& stimuli, double stated_degrees);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// What may be told of the images of a stimulus set that cannot be used.

#include <cstddef>
#include <functional>
#include <string>

#include "benchmarks/dataset_record.hpp"
#include "core/stimulus_set.hpp"

namespace ventral::pipeline {

/// Gives `use` the file of one image. Of a private set the `core::InputError` that it throws names
/// neither the file, which tells the stimulus, nor the reason, which names the file.
void with_image(const core::StimulusSet& stimuli, std::size_t row, benchmarks::Access access,
                const std::function<void(const std::string& file)>& use);

}  // namespace ventral::pipeline

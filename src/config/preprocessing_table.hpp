#pragma once
/// @file
/// Reads how a model wants its images.

#include "config/table.hpp"
#include "stimuli/preprocessing.hpp"

namespace ventral::config {

/// backend, resize (the short side, or [height, width]), crop, interpolation, mean and std.
stimuli::Preprocessing read_preprocessing(const Value& value);

}  // namespace ventral::config

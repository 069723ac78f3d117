#pragma once
/// @file
/// How fast libtorch convolves on this machine.

#include "core/workers.hpp"

namespace ventral::models {

/// Float32 operations a second of each worker while all of them run a small network of 3 × 3
/// convolutions at once. Takes a few tenths of a second.
double convolution_rate(core::Workers& workers);

}  // namespace ventral::models

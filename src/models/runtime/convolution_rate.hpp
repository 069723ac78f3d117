#pragma once
/// @file
/// How fast libtorch convolves on this machine.

#include "core/workers.hpp"

namespace ventral::models {

/// Float32 operations a second, of convolutions, of each worker while all of them run a small
/// network at once, whose layers go through memory as those of real ones do. Takes less than a
/// second.
double convolution_rate(core::Workers& workers);

}  // namespace ventral::models

#pragma once
/// @file
/// Measures how fast this machine is, with the program's own kernels, in less than a minute.

#include <string>

#include "core/workers.hpp"
#include "pipeline/outlook/calibration.hpp"

namespace ventral::pipeline {

/// With all of `workers` at work; the disk is that of `folder`. What starting a process takes the
/// caller knows. Throws as `io::measure_disk`.
Calibration calibrate(core::Workers& workers, const std::string& folder, double process_seconds);

}  // namespace ventral::pipeline

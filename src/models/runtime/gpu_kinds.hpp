#pragma once
/// @file
/// Which GPUs a machine has.

#include <set>
#include <string>

namespace ventral::models {

/// The names of the NVIDIA GPUs that this process may use ("NVIDIA H200"), each once; empty without
/// a driver. Asks the driver itself: libtorch tells names only to programs built with CUDA.
std::set<std::string> gpu_kinds();

}  // namespace ventral::models

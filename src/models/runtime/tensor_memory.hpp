#pragma once
/// @file
/// Where the tensors of networks lie.

namespace ventral::models {

/// From here on the memory of tensors on the CPU is that of `core::take_block`. Calling it again
/// changes nothing.
void place_tensors_in_blocks();

}  // namespace ventral::models

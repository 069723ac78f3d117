#pragma once
/// @file
/// Whether a network gives the same values however its tensors lie in memory.

#include <optional>
#include <string>

#include "models/recording/recorder.hpp"

namespace ventral::models {

/// Why a network must not be run in `MemoryLayout::channels_last`, in which it is loaded here, and
/// what to do; nothing if it may. Where PyTorch gives a view of a tensor ("flatten"), it gives a
/// copy of one that lies so, and what is written into that in place is lost for the tensor itself.
/// Rules that read the code do not know all such places: this compares what every tensor of the
/// network is for two images of noise in either layout, or for one if `batch_size` is 1 or the
/// network takes no two. Rounding makes them differ by some 1e-5 of their norm; a hundredth is
/// taken for a mistake.
///
/// Nothing is found where forward fails, draws random numbers or takes long, nor where
/// `LayerRecorder::check_layout` refuses the first layer that differs. Loads the network's file
/// once more, when `channels_last`, if nobody else has it, was let go of.
std::optional<std::string> mistaken_in_layout(Network channels_last, InputShape input,
                                              std::int64_t batch_size);

}  // namespace ventral::models

#pragma once
/// @file
/// What `device = "auto" | "cpu" | "cuda"` of a model's record means on a machine.

#include <string>

namespace ventral::models {

/// As libtorch sees them (`visible_gpus` in torch_runtime.hpp).
struct Gpus {
    bool supported = false;  ///< libtorch is built with CUDA
    int count = 0;
};

/// "cpu" or "cuda": "auto" is CUDA where there is a GPU. Throws `core::InputError` that begins with
/// `place` for CUDA where there is none, and for anything else.
std::string device_kind(const std::string& device, const Gpus& gpus, const std::string& place);

/// libtorch's name of the device of a rank: "cpu", "cuda:1". The GPUs of a node go to its ranks in
/// turn, `local_rank` being the number of a rank on its node.
std::string device_of_rank(const std::string& kind, const Gpus& gpus, int local_rank);

}  // namespace ventral::models

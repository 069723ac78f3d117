#pragma once
/// @file
/// What a network's modules hold besides weights and submodules, as the machine had it on which it
/// was saved: devices, types of numbers, tensors in lists, tuples and dicts.

#include <string>

#include "models/network/code_constants.hpp"

namespace ventral::models {

/// Makes every attribute that is a device `device`, moves tensors there, and makes those of
/// `converted` types float32; also numbers that the code uses as types, `x.to(self.dtype)`. A type
/// that is handed to another function as an argument is not found.
void fit_attributes(const torch::jit::Module& network, const std::string& device,
                    const ConvertedTypes& converted);

}  // namespace ventral::models

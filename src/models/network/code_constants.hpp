#pragma once
/// @file
/// Constants that stand in a network's code and not among its weights: tensors, devices, types of
/// numbers and how GPUs are to convolve, as the machine had them on which it was traced.

#include <set>
#include <string>

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// Types of numbers by their names in libtorch ("Half"), which have become float32.
using ConvertedTypes = std::set<std::string>;

/// The types of half precision in which convolutions or matrix products of the code cannot be run
/// on a CPU. "Half": they are given constants of it, as in a frozen network, or what the code has
/// just turned into it, as a trace under autocast does. "BFloat16": they are given constants of it,
/// and nothing is ever turned into it, or into the type of something else, as images would have to
/// be.
ConvertedTypes multiplied_halves(const torch::jit::Module& network);

/// Moves all of them to `device`, and makes those of `converted` types float32: a network that was
/// traced on a GPU or in half precision would otherwise ask for both again. Convolutions are in
/// float32, not TF32, and by kernels that give the same bits each time where there are such.
void fit_constants(const torch::jit::Module& network, const std::string& device,
                   const ConvertedTypes& converted);

}  // namespace ventral::models

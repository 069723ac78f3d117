#pragma once
/// @file
/// A small network of seven stages whose weights are formulas, and its twin with random weights,
/// written as TorchScript. For the demo and for tests; the brain of the demo is made from it.

#include <cstdint>
#include <string>
#include <vector>

namespace ventral::models {

/// Where the filters come from. Designed: stage 1 is a bank of Gabor filters, every later stage
/// takes opponent contrasts of the one before. Random: filters of the same shapes with normal
/// entries, each with mean zero and norm one.
enum class DemoWeights { designed, random };

/// Width and height of the network's input in pixels.
inline constexpr int demo_input_pixels = 64;
/// Mean and standard deviation of the input's normalisation, the same in all three channels.
inline constexpr double demo_input_mean = 0.5;
inline constexpr double demo_input_std = 0.25;

/// "stage1" … "stage7", from input to output; each is a submodule.
std::vector<std::string> demo_layers();

/// Writes the network as a TorchScript file: [batch × 3 × 64 × 64] → [batch × 26]. Stage 1 has
/// 9 × 2 × 2 units, stage 2 has 8 × 2 × 2, the others 30, 29, 28, 27 and 26 channels of one
/// position. `seed` matters for random weights only. Throws `InputError` if the file cannot be
/// written.
void write_demo_network(const std::string& path, DemoWeights weights, std::uint64_t seed);

}  // namespace ventral::models

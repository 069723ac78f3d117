#pragma once
/// @file
/// Networks that the program makes itself, without files of weights and without training: low
/// baselines that every network should beat. Their names; what they are stands in their headers.

#include <string>
#include <vector>

namespace ventral::models {

/// `pixels.hpp`, `gabor_v1.hpp`, `hmax.hpp`.
enum class Builtin { pixels, gabor_v1, hmax };

std::vector<Builtin> builtins();

/// As configurations write it: "gabor_v1".
std::string name_of(Builtin builtin);

/// For keys, where a network's file has its hash: changes with the network and its version.
std::string content_hash(Builtin builtin);

}  // namespace ventral::models

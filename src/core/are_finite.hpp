#pragma once
/// @file
/// Whether values are numbers: none is NaN or infinite.

#include <span>

namespace ventral::core {

bool are_finite(std::span<const float> values);

}  // namespace ventral::core

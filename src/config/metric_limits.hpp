#pragma once
/// @file
/// The most that a benchmark or `--params` may ask of a metric.

#include <cstdint>

namespace ventral::config {

inline constexpr std::int64_t most_splits = 100000;
inline constexpr std::int64_t most_components = 100000;

}  // namespace ventral::config

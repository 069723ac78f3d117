#pragma once
/// @file
/// The most that a benchmark or `--params` may ask of a metric, and a model of its PCA.

#include <cstdint>

namespace ventral::config {

inline constexpr std::int64_t most_splits = 100000;
inline constexpr std::int64_t most_components = 100000;
inline constexpr std::int64_t most_pca_components = 1'000'000;

}  // namespace ventral::config

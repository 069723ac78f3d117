#pragma once
/// @file
/// How long work takes. No result depends on it.

#include <chrono>

namespace ventral::core {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// By `work`, which is done once.
template <typename Work>
double seconds_taken(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return seconds_since(start);
}

}  // namespace ventral::core

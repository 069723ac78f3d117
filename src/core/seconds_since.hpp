#pragma once
/// @file
/// How long work takes. No result depends on it.

#include <chrono>

namespace ventral::core {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ventral::core

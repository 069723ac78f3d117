#pragma once
/// @file
/// Times of parts of a stage. No result depends on them.

#include <chrono>

namespace ventral::core {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ventral::core

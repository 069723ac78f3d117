#pragma once
/// @file
/// How runs with the same OUT keep from doing the same work: `io/work_claim.hpp`.

#include <chrono>
#include <string>

namespace ventral::pipeline {

/// OUT/work.lock.
inline std::string claims_path(const std::string& out) { return out + "/work.lock"; }

/// How often one that waits for another looks.
inline constexpr std::chrono::milliseconds between_looks(200);

}  // namespace ventral::pipeline

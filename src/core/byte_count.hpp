#pragma once
/// @file
/// What labelled arrays take of memory.

#include <cstddef>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

std::size_t byte_count(const std::vector<std::string>& texts);
std::size_t byte_count(const Values& values);

/// Of each number: 4 of float32, 8 of float64 and int64.
std::size_t value_bytes(const Values& values);

/// Of values and labels.
std::size_t byte_count(const Assembly& assembly);

}  // namespace ventral::core

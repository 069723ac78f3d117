#pragma once
/// @file
/// Reads which part of the recordings a benchmark is about.

#include <vector>

#include "config/identifier.hpp"
#include "config/table.hpp"
#include "core/select.hpp"

namespace ventral::config {

/// { region = "V4", session = ["a", "b"], reliability = { min = 0.3 } }: a condition per key, by
/// name of the coordinate. Placeholders in strings are filled in.
std::vector<core::Condition> read_select(const Value& value, const Placeholders& placeholders);

}  // namespace ventral::config

#pragma once
/// @file
/// Choosing the part of an assembly that a benchmark is about, by any coordinate.

#include <optional>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// What a coordinate's label must be: one of `values` (compared as text), and, for numbers, within
/// [minimum, maximum].
struct Condition {
    std::string coordinate;
    std::vector<std::string> values;
    std::optional<double> minimum;
    std::optional<double> maximum;
};

/// The assembly where all conditions hold, each along its coordinate's own dimension. Throws
/// `InputError` if a coordinate is missing, is text where a range is asked, or nothing is left.
Assembly select(const Assembly& assembly, const std::vector<Condition>& conditions);

}  // namespace ventral::core

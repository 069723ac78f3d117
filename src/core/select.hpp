#pragma once
/// @file
/// Choosing the part of an assembly that a benchmark is about, by any coordinate.

#include <cstddef>
#include <map>
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

/// By dimension which of its entries are wanted; of those that it does not name all.
using Positions = std::map<std::string, std::vector<std::size_t>>;

/// Where all conditions hold, each along its coordinate's own dimension, in order: of the
/// dimensions that lose entries by them. The values are not looked at, and need not be there.
/// Throws `InputError` if a coordinate is missing, is text where a range is asked, or nothing is
/// left.
Positions matching(const Assembly& assembly, const std::vector<Condition>& conditions);

/// Which of several values that a condition allows no entry has, each as "'coordinate' value".
/// Throws `InputError` if a coordinate is missing.
std::vector<std::string> values_without_entries(const Assembly& assembly,
                                                const std::vector<Condition>& conditions);

/// The assembly at these positions.
Assembly take(Assembly assembly, const Positions& positions);

/// The part of the assembly that is `matching`.
Assembly select(Assembly assembly, const std::vector<Condition>& conditions);

}  // namespace ventral::core

#pragma once
/// @file
/// What there is in place of a name that is not known.

#include <string>
#include <vector>

namespace ventral::core {

/// `near_names` of it, and " (known: a, b, …)" of the first names.
std::string known_names(const std::string& wanted, const std::vector<std::string>& known);

}  // namespace ventral::core

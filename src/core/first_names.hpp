#pragma once
/// @file
/// What a list has in place of a name that it does not have.

#include <string>
#include <vector>

namespace ventral::core {

/// `near_names` of it; where none is near, " (there are a, b and 7 more)" of the first few.
std::string near_or_first_names(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace ventral::core

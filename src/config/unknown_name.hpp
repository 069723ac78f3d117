#pragma once
/// @file
/// What to say of a name that is not known.

#include <string>
#include <vector>

namespace ventral::config {

/// "unknown model 'x', did you mean 'y'? (known: y, z)".
std::string unknown_name(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known);

}  // namespace ventral::config

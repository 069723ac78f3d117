#pragma once
/// @file
/// What is wrong with a text that should have been JSON, for people.

#include <exception>
#include <string>
#include <string_view>

namespace ventral::io {

/// Of an exception of the JSON library, thrown at `text` or at what was read from it: "line 2,
/// column 7: '}' is not expected here", "the member 'host' is missing", …; what any other exception
/// says.
std::string json_problem(const std::exception& error, std::string_view text = {});

}  // namespace ventral::io

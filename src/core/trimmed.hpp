#pragma once
/// @file
/// Text without the white space around it.

#include <string_view>

namespace ventral::core {

/// The part of `text` without blanks, tabs and ends of lines at its beginning and end.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view white = " \t\r\n";
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

}  // namespace ventral::core

#pragma once
/// @file
/// Plain text in columns.

#include <cstddef>
#include <string>
#include <vector>

namespace ventral::leaderboard {

using TextRow = std::vector<std::string>;

/// How many characters a terminal shows of UTF-8 text, one place for each code point.
std::size_t shown_width(const std::string& text);

/// The rows as lines, each column as wide as its widest cell, two blanks between, `indent` blanks
/// before and none at the end of a line. Rows may be of different lengths.
std::string aligned_columns(const std::vector<TextRow>& rows, std::size_t indent);

/// The width of the widest of these lines.
std::size_t widest_line(const std::string& text);

}  // namespace ventral::leaderboard

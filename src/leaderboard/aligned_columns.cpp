#include "leaderboard/aligned_columns.hpp"

#include <algorithm>
#include <sstream>

namespace ventral::leaderboard {
namespace {

std::vector<std::size_t> column_widths(const std::vector<TextRow>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], shown_width(row[i]));
    }
    return widths;
}

}  // namespace

std::size_t shown_width(const std::string& text) {
    const auto begins_character = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string aligned_columns(const std::vector<TextRow>& rows, std::size_t indent) {
    const auto widths = column_widths(rows);
    std::string text;
    for (const auto& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - shown_width(row[i]) + 2, ' ');
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, shown_width(line));
    return widest;
}

}  // namespace ventral::leaderboard

#include "io/text/json_problem.hpp"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace ventral::io {
namespace {

/// Of the library's out_of_range.
constexpr int missing_member = 403;
constexpr int number_overflow = 406;

/// `byte` counts from 1.
std::string position(std::string_view text, std::size_t byte) {
    const auto before = text.substr(0, byte - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto line_begin = before.rfind('\n') + 1;  // 0 without one
    return "line " + std::to_string(line) + ", column " +
           std::to_string(before.size() - line_begin + 1);
}

std::string problem(const nlohmann::json::parse_error& error, std::string_view text) {
    if (error.byte == 0 || error.byte > text.size()) return "the text ends too early";
    const char found = text[error.byte - 1];
    const bool is_shown = std::isprint(static_cast<unsigned char>(found)) != 0;
    return position(text, error.byte) + ": " +
           (is_shown ? "'" + std::string(1, found) + "'" : "what stands there") +
           " is not expected here";
}

/// The library has a name in quotes.
std::string quoted(const std::string& message) {
    const auto begin = message.find('\'');
    const auto end = message.rfind('\'');
    return begin < end ? message.substr(begin, end - begin + 1) : "";
}

}  // namespace

std::string json_problem(const std::exception& error, std::string_view text) {
    if (const auto* wrong = dynamic_cast<const nlohmann::json::parse_error*>(&error))
        return problem(*wrong, text);
    const auto* absent = dynamic_cast<const nlohmann::json::out_of_range*>(&error);
    if (absent && absent->id == missing_member)
        return "the member " + quoted(absent->what()) + " is missing";
    if (absent && absent->id == number_overflow) return "a number is too large";
    if (dynamic_cast<const nlohmann::json::exception*>(&error))
        return "a member is not of the type it should be";
    return error.what();
}

}  // namespace ventral::io

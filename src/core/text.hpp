#pragma once
/// @file
/// Texts that messages are made of.

#include <cctype>
#include <string>
#include <string_view>

namespace ventral::core {

/// Adds what follows in a list of parts, none of which is empty.
inline void add_part(std::string& text, std::string_view part, std::string_view separator = ", ") {
    if (!text.empty()) text += separator;
    text += part;
}

/// "a, b, c" of any container of texts.
template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator = ", ") {
    std::string all;
    for (const auto& text : texts) add_part(all, text, separator);
    return all;
}

inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (auto& letter : lower)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

}  // namespace ventral::core

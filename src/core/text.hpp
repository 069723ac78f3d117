#pragma once
/// @file
/// Texts that messages are made of.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
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

/// "a, b, …" of the first `most`.
inline std::string joined_first(std::span<const std::string> texts, std::size_t most) {
    return joined(texts.first(std::min(texts.size(), most))) + (texts.size() > most ? ", …" : "");
}

inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (auto& letter : lower)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

}  // namespace ventral::core

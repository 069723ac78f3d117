#pragma once
/// @file
/// Texts that messages are made of.

#include <cctype>
#include <string>
#include <string_view>

namespace ventral::core {

/// "a, b, c" of any container of texts.
template <typename Texts>
std::string listed(const Texts& texts) {
    std::string all;
    for (const auto& text : texts) {
        if (!all.empty()) all += ", ";
        all += text;
    }
    return all;
}

inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (auto& letter : lower)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

}  // namespace ventral::core

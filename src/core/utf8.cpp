#include "core/utf8.hpp"

#include <algorithm>
#include <array>

namespace ventral::core {
namespace {

/// How sequences begin, and the second bytes that may follow.
struct SequenceForm {
    unsigned char first, last;
    std::size_t length;
    unsigned char lowest_second, highest_second;
};

constexpr std::array sequence_forms = {
    SequenceForm{0x00, 0x7F, 1, 0, 0},       SequenceForm{0xC2, 0xDF, 2, 0x80, 0xBF},
    SequenceForm{0xE0, 0xE0, 3, 0xA0, 0xBF}, SequenceForm{0xE1, 0xEC, 3, 0x80, 0xBF},
    SequenceForm{0xED, 0xED, 3, 0x80, 0x9F}, SequenceForm{0xEE, 0xEF, 3, 0x80, 0xBF},
    SequenceForm{0xF0, 0xF0, 4, 0x90, 0xBF}, SequenceForm{0xF1, 0xF3, 4, 0x80, 0xBF},
    SequenceForm{0xF4, 0xF4, 4, 0x80, 0x8F}};

bool lies_between(char byte, unsigned char lowest, unsigned char highest) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= lowest && value <= highest;
}

/// Of the code point that `text` begins with; 0 if it begins with none.
std::size_t length_of_first(std::string_view text) {
    const auto form = std::find_if(
        sequence_forms.begin(), sequence_forms.end(),
        [&](const SequenceForm& each) { return lies_between(text[0], each.first, each.last); });
    if (form == sequence_forms.end() || text.size() < form->length) return 0;
    if (form->length == 1) return 1;
    if (!lies_between(text[1], form->lowest_second, form->highest_second)) return 0;
    const auto rest = text.substr(2, form->length - 2);
    const bool continues = std::all_of(rest.begin(), rest.end(),
                                       [](char byte) { return lies_between(byte, 0x80, 0xBF); });
    return continues ? form->length : 0;
}

}  // namespace

std::optional<std::size_t> first_not_utf8(std::string_view text) {
    for (std::size_t position = 0; position < text.size();) {
        const auto length = length_of_first(text.substr(position));
        if (length == 0) return position;
        position += length;
    }
    return std::nullopt;
}

bool is_utf8(std::string_view text) { return !first_not_utf8(text); }

}  // namespace ventral::core

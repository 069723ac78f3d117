#include "config/identifier.hpp"

#include <vector>

#include "config/unknown_name.hpp"

namespace ventral::config {

void check_identifier(const Value& value, const std::string& identifier) {
    const auto refuse = [&](const std::string& why) {
        value.fail("identifier '" + identifier + "' may not " + why);
    };
    if (identifier.front() == '.') refuse("begin with a dot");
    for (const char letter : identifier) {
        const auto code = static_cast<unsigned char>(letter);
        if (code <= ' ' || code == 0x7f) refuse("contain blanks");
        if (std::string(",/\\\"'{}").find(letter) != std::string::npos)
            refuse("contain " + std::string(1, letter));
    }
}

std::string read_identifier(const Value& value) {
    auto identifier = value.text();
    check_identifier(value, identifier);
    return identifier;
}

std::string read_template(const Value& value, const Placeholders& placeholders) {
    const auto text = value.text();
    std::string filled;
    std::size_t position = 0;
    while (position < text.size()) {
        const auto open = text.find('{', position);
        filled += text.substr(position, open - position);
        if (open == std::string::npos) break;
        const auto close = text.find('}', open);
        if (close == std::string::npos) value.fail("'{' without '}' in '" + text + "'");
        const auto name = text.substr(open + 1, close - open - 1);
        const auto found = placeholders.find(name);
        if (found == placeholders.end()) {
            std::vector<std::string> known;
            for (const auto& each : placeholders) known.push_back(each.first);
            value.fail(unknown_name("placeholder", name, known));
        }
        filled += found->second;
        position = close + 1;
    }
    return filled;
}

}  // namespace ventral::config

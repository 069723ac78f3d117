#include "models/runtime/torch_message.hpp"

#include <cctype>
#include <cstddef>
#include <optional>
#include <sstream>

#include "core/errors.hpp"
#include "core/trimmed.hpp"

namespace ventral::models {
namespace {

constexpr std::size_t longest = 300;

std::string readable(std::string text) {
    for (auto& letter : text)
        if (static_cast<unsigned char>(letter) < ' ' || static_cast<unsigned char>(letter) >= 0x7f)
            letter = '?';
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// The text after "RuntimeError: ", "builtins.ValueError: " or another class of error, where `line`
/// begins with one.
std::optional<std::string> after_error_class(const std::string& line) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) return std::nullopt;
    for (std::size_t i = 0; i < colon; ++i)
        if (!std::isalnum(static_cast<unsigned char>(line[i])) && line[i] != '.' && line[i] != '_')
            return std::nullopt;
    const auto name = line.substr(0, colon);
    if (!name.ends_with("Error") && !name.ends_with("Exception")) return std::nullopt;
    return line.substr(colon + 2);
}

}  // namespace

std::string torch_message(const std::string& text) {
    std::istringstream lines(text);
    std::string first;
    std::string raised;
    for (std::string line; std::getline(lines, line);) {
        if (first.empty()) first = core::trimmed(line);
        if (const auto rest = after_error_class(line)) raised = core::trimmed(*rest);
    }
    return readable(raised.empty() ? first : raised);
}

void throw_torch_failure(const std::string& problem, const std::string& reason,
                         const std::string& advice) {
    const auto message = problem + " (" + reason + ")";
    // CUDA gives such an error to all that the process asks for from then on.
    if (reason.starts_with("CUDA error: ") && !reason.starts_with("CUDA error: no kernel image"))
        throw core::TransientError(message + advice + " run again on a GPU that is in order");
    throw core::InputError(message + advice);
}

}  // namespace ventral::models

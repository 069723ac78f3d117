#include "core/known_names.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::core {
namespace {

constexpr std::size_t most_listed = 30;

}  // namespace

std::string known_names(const std::string& wanted, const std::vector<std::string>& known) {
    if (known.empty()) return " (none are known)";
    const auto listed = std::min(known.size(), most_listed);
    return near_names(wanted, known) + " (known: " + joined(std::span(known).first(listed)) +
           (listed < known.size() ? ", …)" : ")");
}

}  // namespace ventral::core

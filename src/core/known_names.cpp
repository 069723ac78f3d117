#include "core/known_names.hpp"

#include <cstddef>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::core {
namespace {

constexpr std::size_t most_listed = 30;

}  // namespace

std::string known_names(const std::string& wanted, const std::vector<std::string>& known) {
    if (known.empty()) return " (none are known)";
    return near_names(wanted, known) + " (known: " + joined_first(known, most_listed) + ")";
}

}  // namespace ventral::core

#include "config/unknown_name.hpp"

#include <algorithm>
#include <cstddef>

#include "core/errors.hpp"

namespace ventral::config {
namespace {

constexpr std::size_t most_listed = 30;

}  // namespace

std::string unknown_name(const std::string& kind, const std::string& name,
                         const std::vector<std::string>& known) {
    auto text = "unknown " + kind + " '" + name + "'" + core::near_names(name, known);
    if (known.empty()) return text + " (none are known)";
    const auto listed = std::min(known.size(), most_listed);
    for (std::size_t i = 0; i < listed; ++i) text += (i == 0 ? " (known: " : ", ") + known[i];
    return text + (listed < known.size() ? ", …)" : ")");
}

}  // namespace ventral::config

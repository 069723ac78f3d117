#include "core/first_names.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::core {

std::string near_or_first_names(const std::string& wanted, const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    if (auto near = near_names(wanted, names); !near.empty() || names.empty()) return near;
    const auto listed = std::min(names.size(), most);
    auto text = " (there are " + joined(std::span(names).first(listed));
    if (listed < names.size()) text += " and " + std::to_string(names.size() - listed) + " more";
    return text + ")";
}

}  // namespace ventral::core

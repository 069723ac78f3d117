#pragma once
/// @file
/// Entries of a table by their names.

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace ventral::metrics {

/// Throws `core::InputError` that lists the names there are and guesses which one was meant. `kind`
/// is what the entries are.
template <typename Entry>
const Entry& find_named(const std::vector<Entry>& entries, const std::string& kind,
                        const std::string& name) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& entry) { return entry.name == name; });
    if (found != entries.end()) return *found;
    std::vector<std::string> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    throw core::InputError(kind + " '" + name + "' is not supported (supported: " +
                           core::joined(names) + ")" + core::near_names(name, names));
}

}  // namespace ventral::metrics

#pragma once
/// @file
/// How what may be missing travels in archives of Boost, whose own way is for its own optional.

#include <optional>

namespace ventral::core {

template <typename Archive, typename T>
void archive_optional(Archive& archive, std::optional<T>& value) {
    bool is_there = value.has_value();
    archive& is_there;
    if constexpr (Archive::is_loading::value) {
        value.reset();
        if (is_there) value.emplace();
    }
    if (is_there) archive&* value;
}

}  // namespace ventral::core

#pragma once
/// @file
/// Division that rounds up: how many parts of a size a number takes.

#include <concepts>
#include <type_traits>

namespace ventral::core {

template <std::integral Number>
constexpr Number ceil_divide(Number count, std::type_identity_t<Number> size) {
    return (count + size - 1) / size;
}

/// The next multiple, or `count` itself if it is one.
template <std::integral Number>
constexpr Number round_up(Number count, std::type_identity_t<Number> multiple) {
    return ceil_divide(count, multiple) * multiple;
}

}  // namespace ventral::core

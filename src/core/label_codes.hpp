#pragma once
/// @file
/// Labels as small integers that sort like the labels, for grouping and sorting many rows.

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// Numbers by value, strings by code point (the byte order of UTF-8); NaN is alike and last, as in
/// NumPy's sort.
template <typename T>
bool less_label(const T& left, const T& right) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(left)) return false;
        if (std::isnan(right)) return true;
    }
    return left < right;
}

/// Entry i of `codes` is the rank of label i among the `distinct` sorted distinct labels.
struct LabelCodes {
    std::vector<std::size_t> codes;
    std::size_t distinct = 0;
};

LabelCodes label_codes(const Values& labels);

}  // namespace ventral::core

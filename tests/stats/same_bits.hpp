#pragma once
/// @file
/// Equality where bits are promised.

#include <cstring>
#include <span>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::test {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_bits(const stats::Matrix& a, const stats::Matrix& b) {
    const auto entries = [](const stats::Matrix& m) {
        return std::span<const double>(m.data(), static_cast<std::size_t>(m.size()));
    };
    return a.rows() == b.rows() && same_bits(entries(a), entries(b));
}

}  // namespace ventral::test

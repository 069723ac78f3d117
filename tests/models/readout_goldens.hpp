#pragma once
/// @file
/// The inputs of the goldens `readouts` and how results are held against them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf/netcdf_assembly.hpp"
#include "support/golden.hpp"

namespace ventral::test {

inline std::optional<core::Assembly> golden_assembly(const std::string& relative) {
    const auto path = golden_path(relative);
    if (!path) return std::nullopt;
    return io::read_assembly(*path);
}

/// The numbers of nested lists, row by row.
inline std::vector<double> numbers_in(const nlohmann::json& list) {
    std::vector<double> numbers;
    for (const auto& entry : list) {
        if (entry.is_array()) {
            const auto inner = numbers_in(entry);
            numbers.insert(numbers.end(), inner.begin(), inner.end());
        } else {
            numbers.push_back(entry.get<double>());
        }
    }
    return numbers;
}

/// Infinite if there are more of one than of the other.
inline double largest_gap(const std::vector<double>& ours, const nlohmann::json& expected) {
    const auto theirs = numbers_in(expected);
    if (ours.size() != theirs.size()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        largest = std::max(largest, std::abs(ours[i] - theirs[i]));
    return largest;
}

inline double largest_gap(const core::Values& ours, const nlohmann::json& expected) {
    return largest_gap(core::as_float64(ours), expected);
}

}  // namespace ventral::test

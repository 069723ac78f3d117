#pragma once
/// @file
/// What the reference computed, on machines that have its goldens.

#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/shared.hpp"

namespace ventral::test {

/// The path of `relative` inside the folder of public goldens; says so if there is none.
inline std::optional<std::string> golden_path(const std::string& relative) {
    auto path = shared_path("goldens/public/" + relative);
    if (!path) WARN("skipped: VENTRAL_SHARED names no folder with goldens/public/" << relative);
    return path;
}

/// The member "expected" of a golden; says so if there is none.
inline std::optional<nlohmann::json> golden(const std::string& relative) {
    const auto path = golden_path(relative);
    if (!path) return std::nullopt;
    return nlohmann::json::parse(std::ifstream(*path)).at("expected");
}

/// The entries of a golden score's raw values, row by row.
inline std::vector<nlohmann::json> raw_values(const nlohmann::json& expected) {
    std::vector<nlohmann::json> entries;
    for (const auto& row : expected.at("raw").at("values")) {
        if (row.is_array())
            entries.insert(entries.end(), row.begin(), row.end());
        else
            entries.push_back(row);
    }
    return entries;
}

/// True if `value` is the golden's, where null stands for NaN, within `tolerance`.
inline bool is_golden(double value, const nlohmann::json& expected, double tolerance) {
    if (expected.is_null()) return std::isnan(value);
    if (expected.is_string())
        return std::isinf(value) && (value < 0) == (expected.get<std::string>() == "-inf");
    return std::abs(value - expected.get<double>()) <= tolerance;
}

}  // namespace ventral::test

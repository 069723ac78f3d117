#pragma once
/// @file
/// A small problem to be scored, and what scores are held against.

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "core/score.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/options.hpp"
#include "stats/small_problems.hpp"
#include "support/golden.hpp"

namespace ventral::test {

inline core::Assembly source() { return assembly_of(formula_features(12, 5)); }
inline core::Assembly target() { return assembly_of(formula_targets(12, 3)); }

inline metrics::MetricOptions three_splits(const std::string& name) {
    metrics::MetricOptions options;
    options.name = name;
    options.n_components = 2;
    options.cross_validation.splits = 3;
    options.cross_validation.train_size = 0.7;
    options.cross_validation.stratification_coordinate.reset();
    return options;
}

inline void check_numbers(const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Approx(expected[i]).margin(1e-11));
}

/// Of the parts "value", "error" and "raw" of a golden; 1e-9 is the goldens' own.
using GoldenTolerance = std::function<double(const std::string& part)>;

inline void check_golden(
    const core::Score& found, const nlohmann::json& expected,
    const GoldenTolerance& tolerance = [](const auto&) { return 1e-9; }) {
    CHECK(is_golden(found.value, expected.at("value"), tolerance("value")));
    if (expected.contains("error") && !expected.at("error").is_null())
        CHECK(is_golden(found.error.value(), expected.at("error"), tolerance("error")));
    const auto raw = raw_values(expected);
    const auto values = numbers(found.raw);
    REQUIRE(values.size() == raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i)
        if (!is_golden(values[i], raw[i], tolerance("raw")))
            FAIL_CHECK("raw value " << i << ": " << values[i] << ", expected " << raw[i]);
}

}  // namespace ventral::test

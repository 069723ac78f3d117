#include "metrics/split_halves.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/assemblies.hpp"
#include "stats/similarity/correlation.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::metrics;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

PlaceGroups groups_of(const std::vector<std::vector<std::uint32_t>>& groups) {
    PlaceGroups result;
    for (const auto& group : groups) {
        result.places.insert(result.places.end(), group.begin(), group.end());
        result.close();
    }
    return result;
}

std::vector<double> consistency(const core::Assembly& assembly,
                                const std::vector<SplitHalves>& splits, std::size_t threads = 1) {
    core::Workers workers(threads);
    // In another order than they are stored in: place i is row 7 - i.
    const std::vector<std::size_t> rows = {7, 6, 5, 4, 3, 2, 1, 0};
    return split_half_consistency(view_presentations(assembly), rows, splits,
                                  stats::pearson_columns, workers);
}

/// One neuroid of eight presentations.
core::Assembly eight(std::vector<double> values) {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 8}, {"neuroid", 1}};
    assembly.values = std::move(values);
    return assembly;
}

/// The rows 0 and 1, 2, 3 against 4, 5, 7 and 6.
const SplitHalves pairs = {groups_of({{7, 6}, {5}, {4}}), groups_of({{3}, {2}, {0, 1}})};

}  // namespace

TEST_CASE("groups are averaged, correlated and corrected for their length") {
    // Means 1, 2, 3 and 1, 3, 2: r = 1/2, so 2/3.
    const auto r = consistency(eight({0.5, 1.5, 2, 3, 1, 3, 1, 3}), {pairs});
    REQUIRE(r.size() == 1);
    CHECK(r[0] == Approx(2.0 / 3).epsilon(1e-14));
}

TEST_CASE("missing values are left out of a mean, a mean of nothing is missing") {
    CHECK(consistency(eight({missing, 1, 2, 3, 1, 3, missing, 2}), {pairs})[0] ==
          Approx(2.0 / 3).epsilon(1e-14));
    CHECK(std::isnan(consistency(eight({0, 2, missing, 3, 1, 3, 1, 3}), {pairs})[0]));
}

TEST_CASE("a split without groups has no consistency") {
    const auto r = consistency(eight({0.5, 1.5, 2, 3, 1, 3, 1, 3}), {{}, pairs, {}});
    REQUIRE(r.size() == 3);
    CHECK(std::isnan(r[0]));
    CHECK(r[1] == Approx(2.0 / 3).epsilon(1e-14));
    CHECK(std::isnan(r[2]));
}

TEST_CASE("type, layout and workers change nothing") {
    // 75 neuroids are five blocks, the last one narrower; quarters are exact in single precision.
    const auto table = test::assembly_of(test::formula_targets(8, 75));
    const auto expected = consistency(table, {pairs});
    const stats::Matrix values = matrix_of(table);
    for (Eigen::Index j = 0; j < 75; ++j) {
        const auto v = stats::column(values, j);
        const std::vector<double> first = {(v[0] + v[1]) / 2, v[2], v[3]};
        const std::vector<double> second = {v[4], v[5], (v[7] + v[6]) / 2};
        const double r = stats::spearman_brown(stats::pearson(first, second));
        const double found = expected[static_cast<std::size_t>(j)];
        CHECK((std::isnan(r) ? std::isnan(found) : found == r));
    }
    const auto same = [&](const std::vector<double>& found) {
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK((found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))));
    };
    auto single = table;
    const auto numbers = test::numbers(table);
    single.values = std::vector<float>(numbers.begin(), numbers.end());
    same(consistency(single, {pairs}));
    same(consistency(core::transpose(table, {"neuroid", "presentation"}), {pairs}));
    for (const std::size_t threads : {2U, 5U}) same(consistency(table, {pairs}, threads));
}

TEST_CASE("values that are no numbers are refused") {
    auto strings = eight({});
    strings.values = std::vector<std::string>(8, "yes");
    CHECK_THROWS_AS(consistency(strings, {pairs}), core::InputError);
}

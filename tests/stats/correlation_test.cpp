#include "stats/similarity/correlation.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"
#include "support/golden.hpp"

using namespace ventral::stats;
using Values = std::vector<double>;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a correlation worked out by hand") {
    // Centred: (-1, 0, 1) and (-1, 1, 0); product 1, lengths √2 and √2.
    CHECK(pearson(Values{1, 2, 3}, Values{1, 3, 2}) == Approx(0.5).epsilon(1e-15));
}

TEST_CASE("a correlation is scipy's") {
    // scipy.stats.pearsonr of these two lists.
    CHECK(pearson(Values{0.1, 0.7, -1.3, 2.2, 0.4}, Values{1.0, 0.2, -0.5, 1.9, 3.1}) ==
          Approx(0.5508411426302418).epsilon(1e-15));
}

TEST_CASE("a vector correlates with itself by one and with its negative by minus one") {
    const Matrix x = ventral::test::random_matrix(101, 1, 3);
    const Matrix negative = -x;
    CHECK(pearson(column(x, 0), column(x, 0)) == Approx(1.0).epsilon(1e-15));
    CHECK(pearson(column(x, 0), column(x, 0)) <= 1.0);
    CHECK(pearson(column(x, 0), column(negative, 0)) == Approx(-1.0).epsilon(1e-15));
    CHECK(pearson(column(x, 0), column(negative, 0)) >= -1.0);
}

TEST_CASE("a correlation is symmetric and blind to unit and offset") {
    const Matrix x = ventral::test::random_matrix(50, 2, 4);
    const double r = pearson(column(x, 0), column(x, 1));
    CHECK(pearson(column(x, 1), column(x, 0)) == r);
    const Matrix moved = (x * 3.0).array() + 100.0;
    CHECK(pearson(column(moved, 0), column(x, 1)) == Approx(r).margin(1e-13));
}

TEST_CASE("huge and tiny values neither overflow nor vanish") {
    CHECK(pearson(Values{1e200, 2e200, 3e200}, Values{1, 3, 2}) == Approx(0.5));
    CHECK(pearson(Values{1e-200, 2e-200, 3e-200}, Values{1, 3, 2}) == Approx(0.5));
}

TEST_CASE("a constant vector has no correlation") {
    CHECK(std::isnan(pearson(Values{0.1, 0.1, 0.1}, Values{1, 3, 2})));
    CHECK(std::isnan(pearson(Values{1, 3, 2}, Values{5, 5, 5})));
    CHECK(std::isnan(pearson(Values{5, 5}, Values{1, 2})));
}

TEST_CASE("a missing value leaves no correlation") {
    CHECK(std::isnan(pearson(Values{1, missing, 3}, Values{1, 3, 2})));
    CHECK(std::isnan(pearson(Values{1, 3, 2}, Values{1, 2, missing})));
}

TEST_CASE("two pairs of values correlate by their direction alone") {
    CHECK(pearson(Values{1, 2}, Values{10, 10.5}) == 1.0);
    CHECK(pearson(Values{1, 2}, Values{3, -7}) == -1.0);
}

TEST_CASE("vectors that cannot be correlated are our own mistake") {
    CHECK_THROWS_AS(pearson(Values{1, 2, 3}, Values{1, 2}), std::invalid_argument);
    CHECK_THROWS_AS(pearson(Values{1}, Values{1}), std::invalid_argument);
    CHECK_THROWS_AS(pearson_columns(Matrix::Zero(3, 2), Matrix::Zero(3, 1)), std::invalid_argument);
}

TEST_CASE("columns are correlated one by one") {
    Matrix x(3, 2);
    x << 1, 4, 2, 4, 3, 4;
    Matrix y(3, 2);
    y << 1, 1, 3, 2, 2, 3;
    const auto r = pearson_columns(x, y);
    REQUIRE(r.size() == 2);
    CHECK(r[0] == Approx(0.5));
    CHECK(std::isnan(r[1]));
}

TEST_CASE("Spearman and Brown correct a correlation of halves") {
    CHECK(spearman_brown(0.5) == Approx(2.0 / 3));
    CHECK(spearman_brown(0.0) == 0.0);
    CHECK(spearman_brown(1.0) == 1.0);
    CHECK(spearman_brown(-1.0) == -infinity);
    CHECK(std::isnan(spearman_brown(missing)));
}

TEST_CASE("the Spearman-Brown correction is the reference's") {
    const auto expected = ventral::test::golden("ceilings/expected.spearman_brown.json");
    if (!expected) return;
    for (std::size_t i = 0; i < expected->at("r").size(); ++i) {
        const auto& r = expected->at("r")[i];
        CHECK(ventral::test::is_golden(spearman_brown(r.is_null() ? missing : r.get<double>()),
                                       expected->at("n2")[i], 1e-14));
    }
}

TEST_CASE("medians, means and deviations leave out what is missing") {
    CHECK(nan_median(Values{3, missing, 1, 10}) == 3);
    CHECK(nan_median(Values{3, missing, 1, 2, 10}) == 2.5);
    CHECK(nan_mean(Values{1, missing, 4}) == 2.5);
    CHECK(nan_std(Values{1, missing, 3}) == 1);  // √((1 + 1) / 2)
    CHECK(nan_median(Values{-infinity, 1, 2}) == 1);
}

TEST_CASE("where all is missing, so are median, mean and deviation") {
    for (const auto& values : {Values{}, Values{missing, missing}}) {
        CHECK(std::isnan(nan_median(values)));
        CHECK(std::isnan(nan_mean(values)));
        CHECK(std::isnan(nan_std(values)));
    }
}

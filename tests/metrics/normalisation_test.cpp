#include "metrics/normalisation.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::metrics;

TEST_CASE("explained variance is the square over the ceiling, without the sign and unclipped") {
    CHECK(normalise("explained_variance", 0.5, 0.8) == 0.25 / 0.8);
    CHECK(normalise("explained_variance", -0.5, 0.8) == 0.25 / 0.8);
    CHECK(normalise("explained_variance", 0.9, 0.3) == Approx(2.7));
}

TEST_CASE("a ceiled score is the value over the ceiling, with the sign and unclipped") {
    CHECK(normalise("ceil_score", 0.5, 0.8) == 0.625);
    CHECK(normalise("ceil_score", -0.5, 0.25) == -2);
}

TEST_CASE("without normalisation the ceiling plays no part") {
    CHECK(normalise("none", 0.5, 0.8) == 0.5);
    CHECK(normalise("none", 0.5, std::numeric_limits<double>::quiet_NaN()) == 0.5);
}

TEST_CASE("what is missing stays missing") {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (const auto& name : normalisations()) CHECK(std::isnan(normalise(name, missing, 0.5)));
    CHECK(std::isnan(normalise("ceil_score", 0.5, missing)));
    CHECK(std::isnan(normalise("explained_variance", 0.5, missing)));
}

TEST_CASE("a normalisation that is not there is an error") {
    CHECK_THROWS_AS(normalise("explained", 0.5, 0.8), ventral::core::InputError);
    CHECK_THROWS_WITH(normalise("ceil_scores", 0.5, 0.8),
                      Catch::Matchers::Contains("did you mean 'ceil_score'"));
}

#include "metrics/bootstrap_error.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "stats/folds/pcg64.hpp"
#include "support/golden.hpp"

using namespace ventral;
using metrics::bootstrap_error;
using metrics::BootstrapOptions;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

core::Assembly two_by_three(std::vector<double> values) {
    core::Assembly assembly;
    assembly.dims = {{"subject", 2}, {"stimulus", 3}};
    assembly.values = std::move(values);
    return assembly;
}

BootstrapOptions over(std::vector<std::string> dims) {
    BootstrapOptions options;
    options.over = std::move(dims);
    return options;
}

}  // namespace

TEST_CASE("the error is the deviation of the means of resamples") {
    // Two resamples of the stimuli (values 0, 1, 4 of one subject, 1, 2, 5 of the other): the
    // deviation of two numbers with ddof 1 is their distance over √2.
    auto options = over({"stimulus"});
    options.resamples = 2;
    const std::vector<double> means = {0.5, 1.5, 4.5};  // of each stimulus
    stats::Pcg64 random(0);
    std::vector<double> drawn;
    for (int i = 0; i < 2; ++i) {
        const auto chosen = random.integers(3, 3);
        drawn.push_back((means[chosen[0]] + means[chosen[1]] + means[chosen[2]]) / 3);
    }
    REQUIRE(drawn[0] != drawn[1]);
    CHECK(bootstrap_error(two_by_three({0, 1, 4, 1, 2, 5}), options) ==
          Approx(std::abs(drawn[0] - drawn[1]) / std::sqrt(2)).epsilon(1e-14));
}

TEST_CASE("what is resampled decides what counts as error") {
    const auto subjects_alike = two_by_three({0, 1, 4, 0, 1, 4});
    CHECK(bootstrap_error(subjects_alike, over({"subject"})) == Approx(0).margin(1e-14));
    // The standard error of the mean of three numbers, near enough: σ/√3 = 0.98.
    CHECK(bootstrap_error(subjects_alike, over({"stimulus"})) == Approx(0.98).epsilon(0.05));
    CHECK(bootstrap_error(subjects_alike, over({})) == Approx(0).margin(1e-14));
    CHECK_THROWS_WITH(bootstrap_error(subjects_alike, over({"subject", "stimulus", "subject"})),
                      Catch::Contains("'subject' is named twice"));
}

TEST_CASE("missing values are skipped, and resamples of nothing else") {
    auto options = over({"stimulus"});
    const auto one = two_by_three({missing, 1, missing, missing, 1, missing});
    CHECK(bootstrap_error(one, options) == 0);
    CHECK(std::isnan(bootstrap_error(two_by_three(std::vector<double>(6, missing)), options)));
    options.resamples = 1;
    CHECK(std::isnan(bootstrap_error(two_by_three({0, 1, 4, 1, 2, 5}), options)));
}

TEST_CASE("another aggregate takes the values of a resample in their order") {
    auto options = over({"subject"});
    options.aggregate = [](std::span<const double> values) { return values[0] - values[2]; };
    CHECK(bootstrap_error(two_by_three({4, 1, 0, 7, 1, 3}), options) == 0);
    options.aggregate = [](std::span<const double> values) { return values[5]; };
    CHECK(bootstrap_error(two_by_three({0, 0, 1, 0, 0, 3}), options) ==
          Approx(1).epsilon(0.01));  // 1 or 3, equally often
}

TEST_CASE("dimensions that cannot be resampled are refused") {
    const auto values = two_by_three({0, 1, 4, 1, 2, 5});
    CHECK_THROWS_AS(bootstrap_error(values, over({"image"})), core::InputError);
    core::Assembly empty;
    empty.dims = {{"stimulus", 0}};
    empty.values = std::vector<double>{};
    CHECK_THROWS_AS(bootstrap_error(empty, over({"stimulus"})), core::InputError);
    auto strings = values;
    strings.values = std::vector<std::string>(6, "yes");
    CHECK_THROWS_AS(bootstrap_error(strings, over({"subject"})), core::InputError);
}

TEST_CASE("errors equal the reference's") {
    const auto expected = test::golden("ceilings/expected.bootstrap_error.json");
    const auto path = test::golden_path("ceilings/bootstrap.nc");
    if (!expected || !path) return;
    const auto scores = io::read_assembly(*path);
    CHECK(test::is_golden(bootstrap_error(scores, over({"stimulus"})), expected->at("stimulus"),
                          1e-12));
    auto both = over({"subject", "stimulus"});
    both.resamples = 200;
    CHECK(test::is_golden(bootstrap_error(scores, both), expected->at("both"), 1e-12));
    auto subjects = over({"subject"});
    subjects.resamples = 50;
    subjects.seed = 3;
    CHECK(test::is_golden(bootstrap_error(scores, subjects), expected->at("seed3"), 1e-12));
}

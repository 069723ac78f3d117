#include "metrics/cka.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "metrics/golden_similarity.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::metrics;

namespace {

/// The goldens' own tolerance; the largest sensitivity of a cka golden is 1e-13.
constexpr double golden_tolerance = 1e-9;

using Metric = std::vector<FoldResult> (*)(const stats::Problem&, std::span<const stats::FoldRows>,
                                           const MetricOptions&, core::Workers&);

std::vector<FoldResult> score(Metric metric, const stats::Problem& problem,
                              const std::vector<stats::FoldRows>& folds, std::size_t threads = 2) {
    core::Workers workers(threads);
    return metric(problem, folds, {}, workers);
}

void check_golden(const std::string& folder, const std::string& form) {
    INFO(folder);
    const auto inputs = test::similarity_inputs(folder);
    if (!inputs) return;
    const auto problem = inputs->stored.without_features();
    const auto check = [&](const std::string& name, Metric metric,
                           const std::vector<stats::FoldRows>& folds) {
        INFO(name);
        const auto expected = test::golden(folder + "/expected." + name + form + ".json");
        if (expected)
            test::check_similarity(score(metric, problem, folds), *expected, golden_tolerance);
    };
    check("cka", score_cka, inputs->all_rows());
    check("cka_biased", score_cka_biased, inputs->all_rows());
    if (folder != "neural_degenerate") check("cka_cv", score_cka, inputs->test_rows());
}

}  // namespace

TEST_CASE("each fold is scored on its test rows alone, in both forms") {
    // NumPy, of the reference's formulas on the same features; see stats/cka_test.cpp.
    const test::GramProblem stored(test::formula_features(12, 5), test::formula_targets(12, 3));
    const auto problem = stored.without_features();
    const std::vector<stats::FoldRows> folds = {{{}, test::rows_from(0, 12)},
                                                {{0, 3}, {1, 2, 4, 5, 7, 8, 11}}};
    const auto unbiased = score(score_cka, problem, folds);
    const auto biased = score(score_cka_biased, problem, folds);
    REQUIRE(unbiased.size() == 2);
    REQUIRE(biased.size() == 2);
    CHECK(unbiased[0].r[0] == Approx(0.08467635464027433).epsilon(1e-12));
    CHECK(unbiased[1].r[0] == Approx(0.616382082314369).epsilon(1e-12));
    CHECK(biased[0].r[0] == Approx(0.3108767692618004).epsilon(1e-12));
    CHECK(biased[1].r[0] == Approx(0.7429955623866593).epsilon(1e-12));
    CHECK(unbiased[0].route == "gram");
    for (const std::size_t threads : {1U, 5U})
        for (std::size_t f = 0; f < 2; ++f)
            CHECK(score(score_cka, problem, folds, threads)[f].r == unbiased[f].r);
}

TEST_CASE("cka scores equal the reference's") {
    for (const std::string folder : {"neural_small_f64", "neural_odd_f64", "neural_degenerate"})
        check_golden(folder, "");
    for (const std::string folder : {"neural_medium_f32", "neural_wide_f32"})
        check_golden(folder, "-upcast");
}

TEST_CASE("three stimuli are refused, as the reference does") {
    const auto inputs = test::similarity_inputs("neural_degenerate");
    const auto expected = test::golden("neural_degenerate/expected.errors.json");
    if (!inputs || !expected) return;
    REQUIRE(expected->back().at("what") == "cka of 3 stimuli");
    const auto problem = inputs->stored.without_features();
    CHECK_THROWS_AS(score(score_cka, problem, inputs->first_rows(3)), core::InputError);
    CHECK_NOTHROW(score(score_cka, problem, inputs->first_rows(4)));
}

#include "metrics/ridge.hpp"

#include <algorithm>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/assemblies.hpp"
#include "metrics/score_assemblies.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_features.hpp"
#include "stats/regression/ridge_folds.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "support/golden.hpp"

using namespace ventral;
using test::rows_from;
using test::view;

namespace {

/// The public golden `slug` of folder `name`; the tolerance is the goldens' own rule.
void check_golden(const std::string& name, const std::string& slug,
                  const metrics::CrossValidationOptions& cross_validation, double sensitivity) {
    INFO(name << " " << slug);
    const auto features = test::golden_path(name + "/source.nc");
    const auto recordings = test::golden_path(name + "/target.nc");
    const auto expected = test::golden(name + "/expected." + slug + ".json");
    if (!features || !recordings || !expected) return;
    metrics::MetricOptions options;
    options.name = "ridge_cv";
    options.cross_validation = cross_validation;
    core::Workers workers(2);
    const auto score =
        metrics::score_assemblies({"", io::read_assembly(*features)},
                                  {"", io::read_assembly(*recordings)}, options, {workers})
            .score;
    const double tolerance = std::max(1e-9, 30 * sensitivity);
    CHECK(test::is_golden(score.value, expected->at("value"), tolerance));
    CHECK(test::is_golden(score.error.value(), expected->at("error"), tolerance));
    const auto found = test::numbers(score.raw);
    std::size_t i = 0;
    for (const auto& row : expected->at("raw").at("values"))
        for (const auto& value : row) CHECK(test::is_golden(found.at(i++), value, tolerance));
}

/// Folds that hold out five rows of forty each.
std::vector<stats::FoldRows> seven_folds() {
    std::vector<stats::FoldRows> folds;
    for (Eigen::Index f = 0; f < 7; ++f) {
        stats::FoldRows fold;
        for (Eigen::Index row = 0; row < 40; ++row)
            ((row + 3 * f) % 8 == 0 ? fold.test : fold.train).push_back(row);
        folds.push_back(fold);
    }
    return folds;
}

}  // namespace

TEST_CASE("the metric fits ridges with its alpha, the same with any number of workers") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 9, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const stats::Problem problem{view(kernel), targets, 9};
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)},
                                                {rows_from(10, 40), rows_from(0, 10)}};
    metrics::MetricOptions options;
    core::Workers alone(1);
    for (const double alpha : {1.0, 0.5}) {
        options.alpha = alpha;
        for (const std::size_t threads : {1U, 3U}) {
            core::Workers workers(threads);
            const auto fits = metrics::fit_ridge(problem, folds, options, workers);
            REQUIRE(fits.size() == 2);
            for (std::size_t f = 0; f < 2; ++f)
                CHECK(test::same_bits(fits[f].prediction,
                                      stats::ridge_predict(problem, folds[f], alpha, alone)));
        }
    }
}

TEST_CASE("features that are at hand and fewer than rows are used themselves") {
    const stats::Matrix x = test::random_matrix(40, 9, 1);
    const stats::Matrix centred = x.rowwise() - x.colwise().mean();
    const stats::Matrix kernel = test::plain_gram(centred);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const std::vector<stats::FoldRows> folds = {{rows_from(0, 30), rows_from(30, 40)}};
    core::Workers workers(1);
    const auto fit = [&](std::size_t features) {
        const stats::Problem problem{view(kernel), targets, features,
                                     stats::ReducedFeatures([&] { return centred; })};
        return metrics::fit_ridge(problem, folds, {}, workers).front();
    };
    CHECK(fit(9).route == metrics::features_route);
    CHECK(test::same_bits(fit(9).prediction,
                          stats::ridge_predict_features(centred, targets, folds[0], 1.0)));
    CHECK(fit(40).route == metrics::gram_route);
    CHECK(test::largest_difference(fit(40).prediction, fit(9).prediction) < 1e-12);
}

TEST_CASE("folds that leave few rows out share a factorisation, whatever the group") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 60, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    stats::Problem problem{view(kernel), targets, 60};
    const auto folds = seven_folds();
    const std::span<const stats::FoldRows> all(folds);
    core::Workers workers(2);
    REQUIRE(stats::one_factorisation_pays(all, 40, 5));
    const auto fits = metrics::fit_ridge(problem, folds, {}, workers);
    const auto shared = stats::RidgeSystem(problem, all, 1.0, workers).predict(all, workers);
    for (std::size_t f = 0; f < 7; ++f) {
        CHECK(fits[f].route == metrics::gram_route);
        CHECK(test::largest_difference(fits[f].prediction,
                                       stats::ridge_predict(problem, folds[f], 1.0, workers)) <
              1e-12);
        CHECK(test::same_bits(fits[f].prediction, shared[f].value()));
    }
    problem.all_folds = all;
    stats::SharedFits kept;
    for (auto* of_score : {static_cast<stats::SharedFits*>(nullptr), &kept}) {
        problem.shared = of_score;
        const auto first = metrics::fit_ridge(problem, all.first(5), {}, workers);
        const auto rest = metrics::fit_ridge(problem, all.subspan(5), {}, workers);
        CHECK(test::same_bits(first[4].prediction, fits[4].prediction));
        CHECK(test::same_bits(rest[1].prediction, fits[6].prediction));
    }
}

TEST_CASE("a fold with a test row that dwarfs all others has the digits of a fit of its own") {
    stats::Matrix x = test::random_matrix(40, 60, 1);
    x.row(5) *= 1e6;
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const auto folds = seven_folds();
    core::Workers workers(2);
    const stats::Problem problem{view(kernel), targets, 60};
    REQUIRE(stats::one_factorisation_pays(folds, 40, 5));
    const auto fits = metrics::fit_ridge(problem, folds, {}, workers);
    std::size_t alone = 0;
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const auto& tests = folds[f].test;
        if (std::find(tests.begin(), tests.end(), 5) == tests.end()) continue;
        ++alone;
        CHECK(test::same_bits(fits[f].prediction,
                              stats::ridge_predict(problem, folds[f], 1.0, workers)));
    }
    CHECK(alone > 0);
}

TEST_CASE("a row that dwarfs the others costs no digits of the others where features can be had") {
    using Precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    stats::Matrix x = test::random_matrix(40, 60, 1);
    x.rightCols(50) *= 1e-3;
    x.row(35) *= 1e5;  // to predict
    x.rowwise() -= x.colwise().mean().eval();
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    stats::Problem problem{view(kernel), targets, 60};
    const stats::FoldRows fold = {rows_from(0, 30), rows_from(30, 40)};
    core::Workers workers(2);

    Precise train = x.topRows(30).cast<long double>();
    const Precise mean = train.colwise().mean();
    train.rowwise() -= mean.row(0);
    Precise y = targets.topRows(30).cast<long double>();
    const Precise y_mean = y.colwise().mean();
    y.rowwise() -= y_mean.row(0);
    Precise system = train * train.transpose();
    system.diagonal().array() += 1;
    Precise test_rows = x.bottomRows(10).cast<long double>();
    test_rows.rowwise() -= mean.row(0);
    Precise expected = test_rows * (train.transpose() * system.ldlt().solve(y));
    expected.rowwise() += y_mean.row(0);
    const auto lost = [&](const metrics::FoldFit& fit) {
        return test::largest_difference(fit.prediction, expected.cast<double>());
    };

    const auto of_gram = metrics::fit_ridge(problem, {&fold, 1}, {}, workers).front();
    CHECK(of_gram.route == metrics::gram_route);
    CHECK(of_gram.margins.guard > stats::guard_limit);
    problem.reduced = stats::ReducedFeatures([&] { return x; });
    const auto guarded = metrics::fit_ridge(problem, {&fold, 1}, {}, workers).front();
    CHECK(guarded.route == metrics::both_routes);
    CHECK_FALSE(guarded.alpha);
    CHECK(lost(guarded) < 1e-10);
    CHECK(lost(of_gram) > 100 * lost(guarded));
}

TEST_CASE("a row that dwarfs the others is found beside one that is as large as the mean") {
    constexpr Eigen::Index rows = 40;
    stats::Matrix x = test::random_matrix(rows, 60, 1).array() + 1000;
    x.row(0) *= 1e4;
    x.row(1) *= 1e4 / static_cast<double>(rows);
    const stats::Matrix kernel = test::centred_gram(x);
    const stats::Matrix targets = test::random_matrix(rows, 5, 2);
    const stats::Problem problem{view(kernel), targets, 60};
    core::Workers workers(2);
    const stats::FoldRows fold = {rows_from(0, 30), rows_from(30, rows)};
    const auto fit = metrics::fit_ridge(problem, {&fold, 1}, {}, workers).front();
    CHECK(fit.margins.guard > 1e-10);
}

TEST_CASE("rows that are the same, or few, dwarf nothing") {
    core::Workers workers(2);
    for (const Eigen::Index rows : {2, 3, 5, 8, 40}) {
        stats::Matrix x = test::random_matrix(rows, 60, 1);
        for (Eigen::Index row = 0; row < rows / 3; ++row) x.row(row) = x.row(0) * 0.1;
        const stats::Matrix kernel = test::centred_gram(x);
        const stats::Matrix targets = test::random_matrix(rows, 5, 2);
        stats::Problem problem{view(kernel), targets, 60};
        problem.reduced = stats::ReducedFeatures([&] { return x; });
        const stats::FoldRows fold = {rows_from(0, rows - 1), rows_from(rows - 1, rows)};
        const auto fit = metrics::fit_ridge(problem, {&fold, 1}, {}, workers).front();
        CHECK(fit.route == metrics::gram_route);
        CHECK(test::largest_difference(fit.prediction,
                                       stats::ridge_predict(problem, fold, 1.0, workers)) < 1e-12);
    }
}

TEST_CASE("rows that are the same keep no fold from sharing a factorisation") {
    stats::Matrix x = test::random_matrix(40, 60, 1);
    x.row(0) *= 0.5;
    for (Eigen::Index row = 1; row < 14; ++row) x.row(row) = x.row(0);
    const stats::Matrix kernel = test::plain_gram(x);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const auto folds = seven_folds();
    core::Workers workers(2);
    const stats::Problem problem{view(kernel), targets, 60};
    const stats::RidgeSystem system(problem, folds, 1.0, workers);
    REQUIRE(system.usable());
    const auto shared = system.predict(folds, workers);
    const auto fits = metrics::fit_ridge(problem, folds, {}, workers);
    for (std::size_t f = 0; f < folds.size(); ++f) {
        REQUIRE(shared[f]);
        CHECK(test::same_bits(fits[f].prediction, *shared[f]));
    }
}

TEST_CASE("features that do not vary predict each fold's mean, exactly") {
    const stats::Matrix kernel = stats::Matrix::Zero(40, 40);
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const auto folds = seven_folds();
    core::Workers workers(2);
    for (const auto& fit : metrics::fit_ridge({view(kernel), targets, 60}, folds, {}, workers))
        for (Eigen::Index j = 0; j < 5; ++j)
            CHECK(fit.prediction.col(j) == stats::Vector::Constant(5, fit.prediction(0, j)));
}

TEST_CASE("folds that leave rows out of both sides are fitted one by one") {
    const stats::Matrix kernel = test::centred_gram(test::random_matrix(40, 60, 1));
    const stats::Matrix targets = test::random_matrix(40, 5, 2);
    const stats::Problem problem{view(kernel), targets, 60};
    auto folds = seven_folds();
    folds[2].train.pop_back();
    core::Workers workers(2);
    const auto fits = metrics::fit_ridge(problem, folds, {}, workers);
    for (std::size_t f = 0; f < 5; ++f)
        CHECK(test::same_bits(fits[f].prediction,
                              stats::ridge_predict(problem, folds[f], 1.0, workers)));
}

TEST_CASE("scores equal the reference's") {
    metrics::CrossValidationOptions ten;
    auto half = ten;
    half.splits = 4;
    half.train_size = 0.5;
    auto five = ten;
    five.splits = 5;
    five.kfold = true;
    auto four = five;
    four.splits = 4;
    four.stratification_coordinate.reset();
    for (const std::string name :
         {"neural_small_f64", "neural_odd_f64", "neural_medium_f32", "neural_wide_f32"}) {
        const std::string upcast = name.ends_with("f32") ? "-upcast" : "";
        const double sensitivity = name == "neural_wide_f32" ? 3.5e-9 : 0;
        check_golden(name, "ridge_cv" + upcast, ten, sensitivity);
        check_golden(name, "ridge_cv-train50-splits4" + upcast, half, sensitivity / 4);
        check_golden(name, "ridge_cv-kfold5" + upcast, five, sensitivity / 4);
        check_golden(name, "ridge_cv-kfold4-unstratified" + upcast, four, sensitivity / 4);
    }
    check_golden("neural_degenerate", "ridge_cv", ten, 0);
    check_golden("neural_repeated_targets", "ridge_cv", ten, 0);
    auto unique = ten;
    unique.unique_split_values = true;
    check_golden("neural_repeated_targets", "ridge_cv-unique", unique, 0);
}

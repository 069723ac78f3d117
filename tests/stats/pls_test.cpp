#include "stats/pls/pls.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/pls/pls_features.hpp"
#include "stats/pls_fit.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/textbook_pls.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;
using Passes = std::vector<std::size_t>;
using ventral::test::fit;
using ventral::test::fit_of;
using ventral::test::six_and_two;

TEST_CASE("one feature and one component are a line through the train rows") {
    // y = 2 x + 1 on the train rows; at x = 5 it is 11.
    Matrix x(4, 1);
    x << 0, 1, 3, 5;
    Matrix y(4, 1);
    y << 1, 3, 7, 0;
    const auto line = fit(plain_gram(x), y, {{0, 1, 2}, {3}}, 1);
    CHECK(line.prediction(0, 0) == Approx(11).epsilon(1e-14));
    CHECK(line.passes == Passes{1});
}

TEST_CASE("predictions and passes are scikit-learn's") {
    // PLSRegression(2, scale=False).fit(X[:6], Y[:6]), its predict(X[6:]) and n_iter_, of the 8 × 4
    // and 8 × 2 formula matrices.
    const Matrix kernel = centred_gram(formula_features(8, 4));
    const auto two = fit(kernel, formula_targets(8, 2), six_and_two, 2);
    Matrix expected(2, 2);
    expected << -0.1491372489772435, 1.231593574044565, 0.09910352174079345, 1.0111025976387071;
    CHECK(largest_difference(two.prediction, expected) < 1e-13);
    CHECK(two.passes == Passes{6, 4});
    // The same with one component.
    const auto one = fit(kernel, formula_targets(8, 2), six_and_two, 1);
    expected << 0.20803970831856616, 0.7133890720788172, 0.2954886278554758, 0.7261803930314072;
    CHECK(largest_difference(one.prediction, expected) < 1e-13);
    CHECK(one.passes == Passes{6});
}

TEST_CASE("many passes over many components are scikit-learn's") {
    // PLSRegression(5, scale=False).fit(X[:30], Y[:30]), of the 40 × 7 and 40 × 6 formula matrices.
    const auto five = fit(centred_gram(formula_features(40, 7)), formula_targets(40, 6),
                          {rows_from(0, 30), rows_from(30, 40)}, 5);
    CHECK(five.passes == Passes{9, 18, 10, 26, 13});
    Matrix expected(1, 6);
    expected << 0.7054917428478237, 0.632432194603995, 0.6316203785771186, 0.9516097670880078,
        0.7546868015357692, 0.7962220020334376;
    CHECK(largest_difference(five.prediction.row(0), expected) < 1e-12);
    CHECK(five.guard > 0);
    CHECK(five.guard < guard_limit);
    CHECK(five.stop_margin > 0);
    CHECK(std::isfinite(five.stop_margin));
}

TEST_CASE("a single target stops after one pass") {
    // PLSRegression(2, scale=False) as above with Y[:, :1]
    const auto single =
        fit(centred_gram(formula_features(8, 4)), formula_targets(8, 1), six_and_two, 2);
    CHECK(single.passes == Passes{1, 1});
    CHECK(single.prediction(0, 0) == Approx(-0.1270547944990817).margin(1e-13));
    CHECK(single.prediction(1, 0) == Approx(0.11881302907235392).margin(1e-13));
    CHECK(std::isinf(single.stop_margin));  // no test of a tolerance was made
}

TEST_CASE("a constant added to features changes no prediction") {
    const Matrix x = formula_features(40, 7);
    const Matrix moved = x.rowwise() + Vector::LinSpaced(7, -5, 9).transpose();
    const Matrix y = formula_targets(40, 6);
    const FoldRows fold = {rows_from(5, 40), rows_from(0, 5)};
    const auto expected = fit(centred_gram(x), y, fold, 4);
    const auto found = fit(plain_gram(moved), y, fold, 4);
    CHECK(found.passes == expected.passes);
    CHECK(largest_difference(found.prediction, expected.prediction) < 1e-11);
}

TEST_CASE("predictions have the same bits with any number of workers") {
    // 600 rows are two tiles of the products with the kernel.
    const Matrix kernel = centred_gram(random_matrix(600, 40, 1));
    const Matrix y = random_matrix(600, 9, 2);
    const std::vector<FoldRows> folds = {{rows_from(0, 540), rows_from(540, 600)},
                                         {rows_from(60, 600), rows_from(0, 60)},
                                         {rows_from(0, 200), rows_from(100, 300)}};
    const auto predict = [&](std::size_t threads) {
        Workers workers(threads);
        return pls_predict({view(kernel), y, 40}, folds, 6, workers);
    };
    const auto expected = predict(1);
    for (const std::size_t threads : {2U, 5U}) {
        const auto found = predict(threads);
        REQUIRE(found.size() == 3);
        for (std::size_t f = 0; f < 3; ++f) {
            CHECK(ventral::test::same_bits(found[f].prediction, expected[f].prediction));
            CHECK(found[f].passes == expected[f].passes);
            CHECK(found[f].stop_margin == expected[f].stop_margin);
            CHECK(found[f].guard == expected[f].guard);
        }
    }
}

TEST_CASE("folds of one call are those of calls of their own") {
    const Matrix kernel = centred_gram(random_matrix(50, 7, 3));
    const Matrix y = random_matrix(50, 4, 4);
    const std::vector<FoldRows> folds = {{rows_from(0, 40), rows_from(40, 50)},
                                         {rows_from(10, 50), rows_from(0, 10)}};
    Workers workers(1);
    const auto both = pls_predict({view(kernel), y, 7}, folds, 3, workers);
    for (std::size_t f = 0; f < 2; ++f) {
        const auto alone = fit(kernel, y, folds[f], 3);
        CHECK(both[f].passes == alone.passes);
        CHECK(largest_difference(both[f].prediction, alone.prediction) < 1e-12);
    }
}

TEST_CASE("the bits of a fold follow from all folds of the score, not from those of the call") {
    const Matrix kernel = centred_gram(random_matrix(50, 60, 3));
    std::vector<FoldRows> folds;
    for (Eigen::Index first = 0; first < 48; first += 4)
        folds.push_back({rows_from(first, first + 30 < 50 ? first + 30 : 50), rows_from(0, 6)});
    Workers workers(2);
    for (const Eigen::Index targets : {4, 40}) {  // fewer and more than train rows
        const Matrix y = random_matrix(50, targets, 4);
        Problem problem{view(kernel), y, 60};
        problem.all_folds = folds;
        const auto all = pls_predict(problem, folds, 3, workers);
        for (const std::size_t f : {0U, 7U, 11U}) {
            const auto alone = pls_predict(problem, {&folds[f], 1}, 3, workers).front();
            CHECK(same_bits(all[f].prediction, alone.prediction));
            CHECK(all[f].passes == alone.passes);
        }
    }
}

TEST_CASE("targets that are predicted nearly to the last digit are fitted as a textbook does") {
    // So little is left of them that their products are formed anew, whether the fold trains on few
    // rows or on most.
    const Matrix x = random_matrix(60, 12, 17);
    const Matrix y = x * random_matrix(12, 6, 18) + 1e-6 * random_matrix(60, 6, 19);
    const Matrix kernel = centred_gram(x);
    for (const FoldRows& fold : {FoldRows{rows_from(0, 52), rows_from(52, 60)},
                                 FoldRows{rows_from(5, 33), rows_from(0, 5)}}) {
        const auto found = fit_of(12, kernel, y, fold, 12);
        const auto expected = ventral::test::textbook(x, y, fold, 12);
        CHECK(found.passes == expected.passes);
        CHECK(found.guard < guard_limit);
        CHECK(largest_difference(found.prediction, expected.prediction) < 1e-11);
    }
}

TEST_CASE("components of little variance keep the digits that the guard promises") {
    const Vector scales = (Vector(8) << 1, 1, 0.1, 0.1, 0.03, 0.03, 0.01, 0.01).finished();
    const Matrix x = random_matrix(60, 8, 20) * scales.asDiagonal();
    const Matrix y = random_matrix(60, 4, 21);
    const FoldRows fold = {rows_from(0, 52), rows_from(52, 60)};
    const auto found = fit_of(8, centred_gram(x), y, fold, 8);
    const auto expected = ventral::test::textbook(x, y, fold, 8);
    CHECK(found.guard > 1e-13);
    CHECK(found.guard < 10 * guard_limit);
    CHECK(found.passes == expected.passes);
    CHECK(largest_difference(found.prediction, expected.prediction) < 100 * found.guard);
}

TEST_CASE("the guard sees the digits that a dominating test row costs a kernel of all rows") {
    Matrix x = random_matrix(40, 7, 3);
    const Matrix y = random_matrix(40, 4, 4);
    const FoldRows fold = {rows_from(0, 35), rows_from(35, 40)};
    CHECK(fit(centred_gram(x), y, fold, 3).guard < guard_limit);
    x.row(39) *= 1e5;
    CHECK(fit(centred_gram(x), y, fold, 3).guard > guard_limit);
}

TEST_CASE("more components than features are refused") {
    Workers workers(1);
    const Matrix kernel = centred_gram(formula_features(8, 4));
    const Matrix y = formula_targets(8, 2);
    CHECK_THROWS_AS(pls_predict({view(kernel), y, 4}, {&six_and_two, 1}, 5, workers), InputError);
    CHECK_THROWS_WITH(pls_predict({view(kernel), y, 4}, {&six_and_two, 1}, 5, workers),
                      Catch::Matchers::Contains("n_components"));
    CHECK_NOTHROW(pls_predict({view(kernel), y, 4}, {&six_and_two, 1}, 4, workers));
}

TEST_CASE("more components than train rows still give a prediction") {
    const Matrix kernel = centred_gram(random_matrix(10, 7, 5));
    const auto found = fit(kernel, random_matrix(10, 3, 6), {rows_from(0, 4), rows_from(4, 10)}, 7);
    CHECK(found.prediction.allFinite());
}

TEST_CASE("the train rows have no component beyond one less than they are") {
    // One feature is large beside the others, so that rounding would be left of it.
    Matrix x = random_matrix(20, 60, 5);
    x.col(0) *= 1e5;
    const Matrix kernel = centred_gram(x);
    const FoldRows fold = {rows_from(0, 14), rows_from(14, 20)};
    Workers workers(1);
    for (const auto targets : {3, 30}) {
        const Matrix y = random_matrix(20, targets, 6);
        for (const auto form : {PlsTargetForm::columns, PlsTargetForm::rows}) {
            const auto with = [&](std::size_t components) {
                return pls_predict_as(form, {view(kernel), y, 60}, {&fold, 1}, components, workers)
                    .front();
            };
            CHECK(with(14).passes.size() <= 13);
            CHECK(with(20).passes == with(13).passes);
        }
        const auto of_features = [&](std::size_t components) {
            return pls_predict_features(x, y, 60, fold, components);
        };
        CHECK(of_features(20).passes == of_features(13).passes);
        CHECK(largest_difference(of_features(14).prediction, of_features(13).prediction) < 1e-9);
    }
}

TEST_CASE("features that are constant over the train rows are refused") {
    Matrix x = formula_features(8, 4);
    x.topRows(6) = Matrix::Constant(6, 4, 0.7);
    const Matrix y = formula_targets(8, 2);
    CHECK_THROWS_AS(fit(plain_gram(x), y, six_and_two, 1), InputError);
    CHECK_THROWS_AS(fit(Matrix::Zero(8, 8), y, six_and_two, 1), InputError);
}

TEST_CASE("constant features are not looked at where all targets are constant") {
    for (const Eigen::Index targets : {1, 2, 9}) {
        const Matrix y = Matrix::Constant(8, targets, 2.0);
        const auto found = fit(plain_gram(Matrix::Constant(8, 4, 0.7)), y, six_and_two, 3);
        CHECK(found.prediction == Matrix::Constant(2, targets, 2.0));
        CHECK(found.passes.empty());
        CHECK(found.guard == 0);
    }
}

TEST_CASE("a row that is not trained on and leaves K no digit of the others is no constant") {
    Matrix x = random_matrix(8, 7, 3);
    x.row(6) *= 1e10;
    const auto found = fit(centred_gram(x), formula_targets(8, 2), six_and_two, 2);
    CHECK(found.guard == std::numeric_limits<double>::infinity());
}

TEST_CASE("a fold of one train row is refused") {
    const Matrix kernel = centred_gram(formula_features(8, 4));
    CHECK_THROWS_AS(fit(kernel, formula_targets(8, 2), {{0}, {1, 2}}, 1), InputError);
}

TEST_CASE("components that are missing widen the cut-off of the inverse by nothing else") {
    // The targets are used up after one component of the three that are asked for.
    Matrix x(5, 3);
    x << -2, 1, 0, -1, -1, 2, 1, -1, -2, 2, 1, 0, 4, 0, 0;
    const Matrix y = 3 * x.col(0);
    const FoldRows fold = {rows_from(0, 4), {4}};
    const auto found = fit(plain_gram(x), y, fold, 3);
    CHECK(found.prediction(0, 0) == Approx(12).epsilon(1e-13));
}

TEST_CASE("few features themselves give the predictions of their Gram") {
    const Matrix x = random_matrix(160, 40, 21);
    const Matrix kernel = centred_gram(x);
    const Matrix centred = x.rowwise() - x.colwise().mean();
    // Train rows that are most, and few; targets fewer and more than rows.
    const std::vector<std::vector<FoldRows>> splits = {
        {{rows_from(0, 140), rows_from(140, 160)}, {rows_from(20, 160), rows_from(0, 20)}},
        {{rows_from(0, 50), rows_from(50, 160)}}};
    for (const auto& folds : splits)
        for (const Eigen::Index targets : {1, 9, 200}) {
            const Matrix y = x.leftCols(5) * random_matrix(5, targets, 22) +
                             0.5 * random_matrix(160, targets, 23);
            Workers workers(2);
            const auto held = pls_predict({view(kernel), y, 40}, folds, 10, workers);
            const auto narrow =
                pls_predict({Kernel::of_features(view(centred)), y, 40}, folds, 10, workers);
            for (std::size_t f = 0; f < folds.size(); ++f) {
                CHECK(narrow[f].passes == held[f].passes);
                CHECK(narrow[f].guard == Approx(held[f].guard).epsilon(1e-6));
                CHECK(largest_difference(narrow[f].prediction, held[f].prediction) < 1e-10);
            }
        }
}

TEST_CASE("few features have the same bits with any workers, and the folds that come with them") {
    const Matrix x = random_matrix(160, 40, 24);
    const Matrix y = random_matrix(160, 9, 25);
    const Kernel kernel = Kernel::of_features(view(x));
    const std::vector<FoldRows> folds = {{rows_from(0, 140), rows_from(140, 160)},
                                         {rows_from(20, 160), rows_from(0, 20)}};
    Workers one(1);
    Workers five(5);
    Problem problem{kernel, y, 40};
    problem.all_folds = folds;
    const auto expected = pls_predict(problem, folds, 4, one);
    const auto found = pls_predict(problem, folds, 4, five);
    const auto second = pls_predict(problem, {&folds[1], 1}, 4, five);
    for (std::size_t f = 0; f < 2; ++f)
        CHECK(same_bits(found[f].prediction, expected[f].prediction));
    CHECK(same_bits(second[0].prediction, expected[1].prediction));
}

TEST_CASE("few features that are constant over the train rows are refused") {
    Matrix x = random_matrix(40, 6, 26);
    x.topRows(30).rowwise() = x.row(0).eval();
    const FoldRows fold{rows_from(0, 30), rows_from(30, 40)};
    Workers workers(1);
    const Matrix y = random_matrix(40, 2, 27);
    CHECK_THROWS_AS(pls_predict({Kernel::of_features(view(x)), y, 6}, {&fold, 1}, 2, workers),
                    InputError);
}

#include "stats/regression/ridge_folds.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
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
using Folds = std::vector<FoldRows>;

namespace {

/// `count` folds that each hold out `tests` rows, drawn anew for each, in no order.
Folds drawn_folds(Eigen::Index rows, Eigen::Index tests, std::size_t count) {
    std::mt19937 random(5);
    Folds folds;
    auto order = rows_from(0, rows);
    for (std::size_t f = 0; f < count; ++f) {
        std::shuffle(order.begin(), order.end(), random);
        folds.push_back(
            {{order.begin() + tests, order.end()}, {order.begin(), order.begin() + tests}});
    }
    return folds;
}

/// Every row is a test row of one of them.
Folds partition(Eigen::Index rows, Eigen::Index tests) {
    Folds folds;
    for (Eigen::Index first = 0; first < rows; first += tests) {
        FoldRows fold{rows_from(0, first), rows_from(first, first + tests)};
        const auto rest = rows_from(first + tests, rows);
        fold.train.insert(fold.train.end(), rest.begin(), rest.end());
        folds.push_back(fold);
    }
    return folds;
}

/// Of a system that has all of them.
std::vector<Matrix> predictions_of(const RidgeSystem& system, std::span<const FoldRows> folds,
                                   Workers& workers) {
    std::vector<Matrix> predictions;
    for (auto& prediction : system.predict(folds, workers))
        predictions.push_back(prediction.value());
    return predictions;
}

std::vector<Matrix> together(const Matrix& kernel, const Matrix& targets, const Folds& folds,
                             double alpha = 1.0, std::size_t threads = 2) {
    Workers workers(threads);
    const RidgeSystem system({view(kernel), targets, 1000}, folds, alpha, workers);
    return predictions_of(system, folds, workers);
}

void check_equal_each(const Matrix& kernel, const Matrix& targets, const Folds& folds,
                      double alpha) {
    const auto found = together(kernel, targets, folds, alpha);
    REQUIRE(found.size() == folds.size());
    Workers workers(2);
    const Problem problem{view(kernel), targets, 1000};
    for (std::size_t f = 0; f < folds.size(); ++f)
        CHECK(largest_difference(found[f], ridge_predict(problem, folds[f], alpha, workers)) <
              1e-12);
}

}  // namespace

TEST_CASE("a ridge of all folds worked out by hand") {
    // Train x = -1, 0, 1 and y = 0, 2, 4: mean 2, slope 4 / 3. At x = 2 that is 2 + 8 / 3. And
    // train x = 0, 1, 2 and y = 2, 4, 3: mean 3, slope 1 / 3. At x = -1 that is 3 - 2 / 3.
    Matrix x(4, 1);
    x << -1, 0, 1, 2;
    Matrix y(4, 1);
    y << 0, 2, 4, 3;
    const auto found = together(plain_gram(x), y, {{{0, 1, 2}, {3}}, {{1, 2, 3}, {0}}});
    CHECK(found[0](0, 0) == Approx(2 + 8.0 / 3).epsilon(1e-14));
    CHECK(found[1](0, 0) == Approx(3 - 2.0 / 3).epsilon(1e-14));
}

TEST_CASE("predictions of a fold are scikit-learn's") {
    // Ridge(alpha).fit(X[:6], Y[:6]).predict(X[6:]) of the 8 × 4 and 8 × 2 formula matrices.
    const Matrix kernel = centred_gram(formula_features(8, 4));
    const Matrix y = formula_targets(8, 2);
    Matrix expected(2, 2);
    expected << -0.00019381921450528639, 1.163049546453665, 0.19169678133566365, 1.016685620693952;
    CHECK(largest_difference(together(kernel, y, partition(8, 2), 1.0)[3], expected) < 1e-13);
    expected << -0.13401487291957725, 1.3097702018175315, 0.12654212133992507, 1.1631412135974954;
    CHECK(largest_difference(together(kernel, y, partition(8, 2), 0.25)[3], expected) < 1e-13);
}

TEST_CASE("two folds worked out by hand") {
    // x = -1, 0, 1, 2 and y = 0, 2, 4, 0. Without the last: mean 2, slope 4 / (2 + alpha), at
    // alpha 1 and x = 2: 2 + 8 / 3. Without the first: x - 1 = -1, 0, 1, y - 2 = 0, 2, -2: slope
    // -2 / 3, at x = -1: 2 + 4 / 3.
    Matrix x(4, 1);
    x << -1, 0, 1, 2;
    Matrix y(4, 1);
    y << 0, 2, 4, 0;
    const auto found = together(plain_gram(x), y, {{{0, 1, 2}, {3}}, {{1, 2, 3}, {0}}});
    CHECK(found[0](0, 0) == Approx(2 + 8.0 / 3).epsilon(1e-13));
    CHECK(found[1](0, 0) == Approx(2 + 4.0 / 3).epsilon(1e-13));
}

TEST_CASE("predictions are those of a fit of each fold") {
    const Matrix x = random_matrix(100, 150, 1);
    const Matrix y = random_matrix(100, 7, 2);
    check_equal_each(centred_gram(x), y, drawn_folds(100, 10, 5), 1.0);
    check_equal_each(centred_gram(x), y, drawn_folds(100, 10, 1), 0.25);
    check_equal_each(centred_gram(x), y, drawn_folds(100, 40, 4), 100.0);
    check_equal_each(centred_gram(x), random_matrix(100, 130, 3), drawn_folds(100, 10, 5), 1.0);
    check_equal_each(centred_gram(x.leftCols(30)), y, drawn_folds(100, 10, 3), 1.0);
}

TEST_CASE("folds may leave no row that all of them train on") {
    const Matrix x = random_matrix(100, 150, 1);
    const Matrix y = random_matrix(100, 7, 2).array() + 50;
    check_equal_each(centred_gram(x), y, partition(100, 20), 1.0);
}

TEST_CASE("a constant added to features or targets changes no prediction but by itself") {
    const Matrix x = random_matrix(60, 90, 1);
    const Matrix y = random_matrix(60, 4, 2);
    const auto folds = drawn_folds(60, 6, 5);
    const auto expected = together(centred_gram(x), y, folds);
    const auto moved = together(plain_gram(x.array() + 3), y.array() + 100, folds);
    for (std::size_t f = 0; f < folds.size(); ++f)
        CHECK(largest_difference(moved[f].array() - 100, expected[f]) < 1e-11);
}

TEST_CASE("a test row's own targets do not matter to a bit") {
    const Matrix kernel = centred_gram(random_matrix(60, 90, 1));
    Matrix y = random_matrix(60, 4, 2);
    const auto folds = drawn_folds(60, 6, 5);
    // The first fold alone: to the others its test rows are train rows.
    const Matrix expected = together(kernel, y, folds)[0];
    for (const auto row : folds[0].test) y.row(row).setConstant(1e9);
    CHECK(same_bits(together(kernel, y, folds)[0], expected));
}

TEST_CASE("small features keep their digits, down to those that are left to fits of each fold") {
    const Matrix y = random_matrix(60, 4, 2);
    const auto folds = drawn_folds(60, 6, 5);
    Workers workers(2);
    for (const double size : {1.0, 1e-1, 1e-2, 3.5e-3}) {
        // The mean of the diagonal is about 90 / 3 size².
        const Matrix kernel = centred_gram(size * random_matrix(60, 90, 1));
        const Problem problem{view(kernel), y, 1000};
        const RidgeSystem system(problem, folds, 1.0, workers);
        CHECK(system.usable() == (kernel.trace() / 60 >= 1e-3));
        if (!system.usable()) continue;
        const Matrix found = system.predict(folds, workers)[0].value();
        const Matrix expected = ridge_predict(problem, folds[0], 1.0, workers);
        const Matrix spread = expected.rowwise() - expected.colwise().mean();
        CHECK(largest_difference(found, expected) < 1e-11 * spread.cwiseAbs().maxCoeff());
    }
}

TEST_CASE("an alpha that is lost in the rounding of the kernel is left to fits of each fold") {
    const Matrix y = random_matrix(60, 4, 2);
    const auto folds = drawn_folds(60, 6, 5);
    Workers workers(1);
    const auto is_usable = [&](double size) {
        const Matrix kernel = centred_gram(size * random_matrix(60, 90, 1));
        return RidgeSystem({view(kernel), y, 90}, folds, 1.0, workers).usable();
    };
    // Rounding is about 60 · 2⁻⁵² · 30 size².
    CHECK(is_usable(1e5));
    CHECK_FALSE(is_usable(1e8));
}

TEST_CASE("a fold with a test row that dwarfs the train rows is left to a fit of its own") {
    // Rows 0 and 1 share a feature of size 1e6 that no other row has: of their part of the inverse
    // 1 / 2e12 matters, and what is beside it is near 1.
    Matrix x = random_matrix(60, 90, 1);
    x.rightCols(1).setZero();
    x(0, 89) = x(1, 89) = 1e6;
    const Matrix kernel = plain_gram(x);
    const Matrix y = random_matrix(60, 4, 2);
    const auto folds = partition(60, 6);
    Workers workers(2);
    const RidgeSystem system({view(kernel), y, 90}, folds, 1.0, workers);
    REQUIRE(system.usable());
    const auto found = system.predict(folds, workers);
    CHECK_FALSE(found[0]);
    for (std::size_t f = 1; f < folds.size(); ++f) CHECK(found[f]);
}

TEST_CASE("features that do not vary are left to fits of each fold") {
    const Matrix y = random_matrix(60, 4, 2);
    Workers workers(1);
    for (const double entry : {0.0, 7.0}) {
        const Matrix kernel = Matrix::Constant(60, 60, entry);
        CHECK_FALSE(
            RidgeSystem({view(kernel), y, 1000}, drawn_folds(60, 6, 5), 1.0, workers).usable());
    }
}

TEST_CASE("a fold's bits do not depend on which other folds are asked for") {
    const Matrix kernel = centred_gram(random_matrix(60, 90, 1));
    const Matrix y = random_matrix(60, 4, 2);
    const auto folds = drawn_folds(60, 6, 5);
    Workers workers(2);
    const RidgeSystem system({view(kernel), y, 1000}, folds, 1.0, workers);
    const std::span<const FoldRows> every(folds);
    const auto all = predictions_of(system, every, workers);
    CHECK(same_bits(predictions_of(system, every.subspan(3, 1), workers)[0], all[3]));
    CHECK(same_bits(predictions_of(system, every.first(2), workers)[1], all[1]));
}

TEST_CASE("a target that is constant in the train rows is predicted as exactly that constant") {
    const Matrix kernel = centred_gram(random_matrix(60, 90, 1));
    Matrix y = random_matrix(60, 4, 2);
    for (const auto& folds : {drawn_folds(60, 6, 5), partition(60, 12)}) {
        y.col(1).setConstant(0.1);
        for (const auto row : folds[0].test) y(row, 1) = 7.0 + static_cast<double>(row);
        const Matrix found = together(kernel, y, folds)[0].col(1);
        CHECK(found == Matrix::Constant(found.rows(), 1, 0.1));
    }
}

TEST_CASE("the number of workers changes no bit, nor does where the kernel lies") {
    const Matrix kernel = centred_gram(random_matrix(300, 350, 1));
    const Matrix y = random_matrix(300, 120, 2);
    const auto folds = drawn_folds(300, 30, 5);
    const auto expected = together(kernel, y, folds, 1.0, 1);
    for (const std::size_t threads : {2U, 5U}) {
        const auto found = together(kernel, y, folds, 1.0, threads);
        for (std::size_t f = 0; f < 5; ++f) CHECK(same_bits(found[f], expected[f]));
    }
    for (std::size_t shift = 1; shift < 8; ++shift) {
        std::vector<double> memory(static_cast<std::size_t>(kernel.size()) + shift);
        std::copy_n(kernel.data(), kernel.size(), memory.data() + shift);
        Workers workers(2);
        const RidgeSystem system({MatrixView(memory.data() + shift, 300, 300), y, 1000}, folds, 1.0,
                                 workers);
        const auto found = predictions_of(system, folds, workers);
        for (std::size_t f = 0; f < 5; ++f) CHECK(same_bits(found[f], expected[f]));
    }
}

TEST_CASE("one factorisation serves folds that are a partition of the rows into train and test") {
    CHECK(folds_complement(drawn_folds(20, 3, 2), 20));
    const auto left_out = drawn_folds(20, 3, 1);
    CHECK(!folds_complement(left_out, 21));
    CHECK(!folds_complement(Folds{{{0, 1, 2}, {2, 3}}}, 5));    // on both sides
    CHECK(!folds_complement(Folds{{{0, 1, 1, 2}, {3}}}, 5));    // twice
    CHECK(!folds_complement(Folds{{{0, 1, 2, 3, 4}, {}}}, 5));  // nothing to predict
}

TEST_CASE("one factorisation pays for several folds that train on most of the rows") {
    CHECK(one_factorisation_pays(drawn_folds(2560, 256, 5), 2560, 168));
    CHECK(!one_factorisation_pays(drawn_folds(2560, 256, 1), 2560, 168));
    CHECK(!one_factorisation_pays(drawn_folds(2560, 1280, 4), 2560, 168));
}

TEST_CASE("a Gram that cannot be inverted is an error") {
    const Matrix kernel = centred_gram(random_matrix(60, 90, 1));
    const Matrix y = random_matrix(60, 4, 2);
    CHECK_THROWS_AS(together(kernel, y, drawn_folds(60, 6, 5), -1e6), ventral::core::InputError);
}

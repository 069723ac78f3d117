#include "stats/regression/ridge.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::centred_gram;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::rows_from;
using ventral::test::view;

namespace {

Matrix predict(const Matrix& kernel, const Matrix& targets, const FoldRows& fold, double alpha) {
    ventral::core::Workers alone(1);
    return ridge_predict({view(kernel), targets, 4}, fold, alpha, alone);
}

const FoldRows six_and_two = {rows_from(0, 6), {6, 7}};

}  // namespace

TEST_CASE("a ridge worked out by hand") {
    // Train x = -1, 0, 1 and y = 0, 2, 4: mean 2, slope 4 / (2 + alpha). At x = 2 and alpha = 1
    // that is 2 + 8 / 3.
    Matrix x(4, 1);
    x << -1, 0, 1, 2;
    Matrix y(4, 1);
    y << 0, 2, 4, 0;
    const FoldRows fold = {{0, 1, 2}, {3}};
    CHECK(predict(plain_gram(x), y, fold, 1.0)(0, 0) == Approx(2 + 8.0 / 3).epsilon(1e-14));
    CHECK(predict(plain_gram(x), y, fold, 2.0)(0, 0) == Approx(4).epsilon(1e-14));
}

TEST_CASE("predictions are scikit-learn's") {
    // Ridge(alpha).fit(X[:6], Y[:6]).predict(X[6:]) of the 8 × 4 and 8 × 2 formula matrices.
    const Matrix kernel = centred_gram(formula_features(8, 4));
    Matrix expected(2, 2);
    expected << -0.00019381921450528639, 1.163049546453665, 0.19169678133566365, 1.016685620693952;
    CHECK(largest_difference(predict(kernel, formula_targets(8, 2), six_and_two, 1.0), expected) <
          1e-13);
    expected << -0.13401487291957725, 1.3097702018175315, 0.12654212133992507, 1.1631412135974954;
    CHECK(largest_difference(predict(kernel, formula_targets(8, 2), six_and_two, 0.25), expected) <
          1e-13);
}

TEST_CASE("a constant added to features changes no prediction") {
    const Matrix x = formula_features(8, 4);
    const Matrix moved = x.rowwise() + Eigen::RowVector4d(10, -3, 0, 7);
    const Matrix y = formula_targets(8, 2);
    CHECK(largest_difference(predict(plain_gram(moved), y, six_and_two, 1.0),
                             predict(centred_gram(x), y, six_and_two, 1.0)) < 1e-12);
}

TEST_CASE("a constant target is predicted by its value") {
    Matrix y = formula_targets(8, 2);
    y.col(1).setConstant(0.1);
    const Matrix prediction = predict(centred_gram(formula_features(8, 4)), y, six_and_two, 1.0);
    CHECK(prediction(0, 1) == Approx(0.1).epsilon(1e-14));
    CHECK(prediction(1, 1) == Approx(0.1).epsilon(1e-14));
}

TEST_CASE("a huge alpha predicts the mean of the train rows") {
    const Matrix y = formula_targets(8, 2);
    const Matrix prediction = predict(centred_gram(formula_features(8, 4)), y, six_and_two, 1e12);
    const Matrix means = y.topRows(6).colwise().mean();
    CHECK(largest_difference(prediction.row(0), means) < 1e-10);
    CHECK(largest_difference(prediction.row(1), means) < 1e-10);
}

TEST_CASE("rows that are on no side do not matter, and those on both are allowed") {
    const Matrix kernel = centred_gram(formula_features(8, 4));
    Matrix y = formula_targets(8, 2);
    const FoldRows fold = {{0, 1, 2, 3, 4}, {4, 7}};
    const Matrix expected = predict(kernel, y, fold, 1.0);
    y.row(5).setConstant(1e6);
    y.row(7).setConstant(-1e6);  // a test row's own value
    CHECK(predict(kernel, y, fold, 1.0) == expected);
}

TEST_CASE("predictions are in the order of the test rows") {
    const Matrix kernel = centred_gram(formula_features(8, 4));
    const Matrix y = formula_targets(8, 2);
    const Matrix turned = predict(kernel, y, {rows_from(0, 6), {7, 6}}, 1.0);
    CHECK(largest_difference(turned.colwise().reverse(), predict(kernel, y, six_and_two, 1.0)) <
          1e-14);
}

TEST_CASE("a Gram that cannot be inverted is an error") {
    const Matrix kernel = centred_gram(formula_features(8, 4));
    const Matrix y = formula_targets(8, 2);
    CHECK_THROWS_AS(predict(kernel, y, six_and_two, -1e6), ventral::core::InputError);
    const Matrix missing = Matrix::Constant(8, 8, std::numeric_limits<double>::quiet_NaN());
    CHECK_THROWS_AS(predict(missing, y, six_and_two, 1.0), ventral::core::InputError);
}

TEST_CASE("an alpha that is lost beside the kernel leaves least squares") {
    // K + alpha I is singular in floating point. Slope 2 / 2³⁰, mean 2: at 2 · 2³⁰ that is 6.
    Matrix x(3, 1);
    x << -1, 1, 2;
    x *= 0x1p30;
    Matrix y(3, 1);
    y << 0, 4, 0;
    CHECK(predict(plain_gram(x), y, {{0, 1}, {2}}, 1e-3)(0, 0) == Approx(6).epsilon(1e-12));
    // Many targets are solved for from the side of the test row.
    Matrix many(3, 4);
    many << y, 2 * y, -y, y;
    Matrix expected(1, 4);
    expected << 6, 12, -6, 6;
    CHECK(largest_difference(predict(plain_gram(x), many, {{0, 1}, {2}}, 1e-3), expected) < 1e-11);
}

TEST_CASE("train rows that are equal leave least squares where alpha is lost") {
    // The lower two of y are 0 and 2, the upper two 3 and 5: mean 2.5 and slope 1.5 / 2³⁰, whatever
    // they are each for itself. At 2 · 2³⁰ that is 5.5.
    Matrix x(5, 1);
    x << -1, -1, 1, 1, 2;
    x *= 0x1p30;
    Matrix y(5, 2);
    y << 0, 0, 2, 2, 3, 3, 5, 5, 0, 7;
    for (const double alpha : {1e-3, 0.0}) {
        const Matrix found = predict(plain_gram(x), y, {{0, 1, 2, 3}, {4}}, alpha);
        CHECK(found(0, 0) == Approx(5.5).epsilon(1e-12));
        CHECK(found(0, 1) == Approx(5.5).epsilon(1e-12));
    }
}

TEST_CASE("where alpha is lost predictions are those of scipy's least squares") {
    // scipy.linalg.lstsq of the centred first six rows of the 8 × 3 and 8 × 2 formula matrices, the
    // kernel of which has rank three.
    const Matrix x = 0x1p30 * formula_features(8, 3);
    Matrix expected(2, 2);
    expected << 0.2037914691943124, 0.9354265402843601, 0.3104265402843601, 1.1036729857819902;
    for (const double alpha : {1e-3, 0.0}) {
        const Matrix found = predict(plain_gram(x), formula_targets(8, 2), six_and_two, alpha);
        CHECK(largest_difference(found, expected) < 1e-12);
    }
}

#include "stats/regression/ridge_features.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::centred_gram;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::view;

namespace {

Matrix gram_form(const Matrix& x, const Matrix& y, const FoldRows& fold, double alpha) {
    const Matrix kernel = centred_gram(x);
    ventral::core::Workers alone(1);
    return ridge_predict({view(kernel), y, static_cast<std::size_t>(x.cols())}, fold, alpha, alone);
}

}  // namespace

TEST_CASE("a ridge worked out by hand") {
    // Train x = -1, 0, 1 and y = 0, 2, 4: mean 2, slope 4 / (2 + alpha). At x = 2 and alpha = 1
    // that is 2 + 8 / 3.
    Matrix x(4, 1);
    x << -1, 0, 1, 2;
    Matrix y(4, 1);
    y << 0, 2, 4, 0;
    const FoldRows fold = {{0, 1, 2}, {3}};
    CHECK(ridge_predict_features(x, y, fold, 1.0)(0, 0) == Approx(2 + 8.0 / 3).epsilon(1e-14));
}

TEST_CASE("predictions are scikit-learn's") {
    // Ridge(1).fit(X[:6], Y[:6]).predict(X[6:]) of the 8 × 4 and 8 × 2 formula matrices.
    Matrix expected(2, 2);
    expected << -0.00019381921450528639, 1.163049546453665, 0.19169678133566365, 1.016685620693952;
    const Matrix prediction = ridge_predict_features(formula_features(8, 4), formula_targets(8, 2),
                                                     {rows_from(0, 6), {6, 7}}, 1.0);
    CHECK(largest_difference(prediction, expected) < 1e-13);
}

TEST_CASE("both forms agree on ordinary data, primal or dual") {
    const Matrix x = random_matrix(40, 20, 1);
    const Matrix y = random_matrix(40, 7, 2);
    const FoldRows many = {rows_from(0, 35), rows_from(33, 40)};
    CHECK(largest_difference(ridge_predict_features(x, y, many, 1.0), gram_form(x, y, many, 1.0)) <
          1e-12);
    const FoldRows few = {rows_from(0, 12), rows_from(12, 40)};
    CHECK(largest_difference(ridge_predict_features(x, y, few, 1.0), gram_form(x, y, few, 1.0)) <
          1e-12);
}

TEST_CASE("one huge feature does not drown the others") {
    // The huge feature alone explains nothing; scaling a feature by s is dividing its coefficient's
    // penalty by s², so with an infinite scale it is unpenalised: as if it were projected out of
    // the others and of the targets first.
    Matrix x = random_matrix(30, 4, 3);
    const Matrix y = random_matrix(30, 2, 4) + 3 * x.leftCols(2);
    const FoldRows fold = {rows_from(0, 30), rows_from(0, 30)};
    const auto project = [](const Matrix& matrix, const Vector& unit) {
        const Matrix centred = matrix.rowwise() - matrix.colwise().mean();
        return Matrix(centred - unit * (unit.transpose() * centred));
    };
    const Vector huge = x.col(3).array() - x.col(3).mean();
    const Vector unit = huge / huge.norm();
    const Matrix others = project(x.leftCols(3), unit);
    const Matrix rest = project(y, unit);
    const Matrix fitted = ridge_predict_features(others, rest, fold, 1.0);
    const Matrix expected = Matrix(y) - rest + fitted;
    x.col(3) *= 1e8;
    CHECK(largest_difference(ridge_predict_features(x, y, fold, 1.0), expected) < 1e-9);
}

TEST_CASE("what rounding has left of the mean's prediction is not taken for it") {
    // Two features that agree in five digits, a row ten thousand times as far: squares of 1e28,
    // beside which alpha and the differences of the other rows are lost.
    Matrix x = random_matrix(8, 2, 11) * 1e5;
    x.array() -= 1e10;
    x.row(0) *= 1e4;
    const Matrix y = random_matrix(8, 3, 12);
    const FoldRows fold = {rows_from(0, 6), {6, 7}};
    const Vector mean = x.colwise().mean();
    const Matrix centred = x.rowwise() - mean.transpose();
    const Vector products = centred * mean;
    GramSums sums;
    sums.centred_times_mean = {products.data(), 8};
    sums.mean_squared = mean.squaredNorm();
    const Matrix with = ridge_predict_features(centred, y, fold, 1.0, {&sums});
    const Matrix without = ridge_predict_features(centred, y, fold, 1.0);
    const Matrix differences = without.row(0) - without.row(1);
    REQUIRE(differences.cwiseAbs().minCoeff() > 1e-3);
    CHECK(largest_difference(with.row(0) - with.row(1), differences) < 1e-3);
}

TEST_CASE("a matrix that cannot be inverted is an error") {
    CHECK_THROWS_AS(ridge_predict_features(formula_features(8, 4), formula_targets(8, 2),
                                           {rows_from(0, 6), {6, 7}}, -1e6),
                    ventral::core::InputError);
}

TEST_CASE("an alpha that is lost beside the squares of equal features is not lost") {
    // Train x = -1, 0, 1 twice, in units of 2³⁰; y = 0, 2, 4: mean 2, slope 2. At x = 2 that is 6.
    Matrix x(4, 2);
    x << -1, -1, 0, 0, 1, 1, 2, 2;
    x *= 0x1p30;
    Matrix y(4, 1);
    y << 0, 2, 4, 0;
    const FoldRows fold = {{0, 1, 2}, {3}};
    CHECK(ridge_predict_features(x, y, fold, 1e-3)(0, 0) == Approx(6).epsilon(1e-12));
}

TEST_CASE("where alpha is lost predictions are those of scipy's least squares") {
    // scipy.linalg.lstsq of the centred first six rows of the 8 × 3 and 8 × 2 formula matrices;
    // with a sum of two features as a fourth nothing else can be predicted.
    Matrix x(8, 4);
    x << formula_features(8, 3), Matrix::Zero(8, 1);
    Matrix expected(2, 2);
    expected << 0.2037914691943124, 0.9354265402843601, 0.3104265402843601, 1.1036729857819902;
    for (const bool redundant : {false, true}) {
        if (redundant) x.col(3) = x.col(0) + x.col(1);
        for (const double alpha : {1e-3, 0.0}) {
            const Matrix found = ridge_predict_features(0x1p30 * x, formula_targets(8, 2),
                                                        {rows_from(0, 6), {6, 7}}, alpha);
            CHECK(largest_difference(found, expected) < 1e-12);
        }
    }
}

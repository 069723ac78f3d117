#include "stats/regression/linear.hpp"

#include <Eigen/SVD>
#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/stored_features.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;

namespace {

Matrix fit(const Matrix& x, const Matrix& y, const FoldRows& fold) {
    return linear_predict(x, y, static_cast<std::size_t>(x.cols()), fold);
}

/// Minimum norm by the SVD of the centred train rows.
Matrix by_svd(const Matrix& features, const Matrix& targets, const FoldRows& fold) {
    Matrix x = features(fold.train, Eigen::all);
    Matrix y = targets(fold.train, Eigen::all);
    const Eigen::RowVectorXd x_mean = x.colwise().mean();
    const Eigen::RowVectorXd y_mean = y.colwise().mean();
    x.rowwise() -= x_mean;
    y.rowwise() -= y_mean;
    Eigen::JacobiSVD<Matrix> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-12);
    Matrix test = features(fold.test, Eigen::all);
    test.rowwise() -= x_mean;
    return (test * svd.solve(y)).rowwise() + y_mean;
}

}  // namespace

TEST_CASE("one feature is a line through the train rows") {
    // y = 2 x + 1 on the train rows; at x = 5 it is 11.
    Matrix x(4, 1);
    x << 0, 1, 3, 5;
    Matrix y(4, 1);
    y << 1, 3, 7, 0;
    CHECK(fit(x, y, {{2, 0, 1}, {3}})(0, 0) == Approx(11).epsilon(1e-14));
}

TEST_CASE("of all lines through too few rows the flattest is taken") {
    // Two rows that differ by (1, 2): the coefficients are 5 (1, 2) / 5 = (1, 2), so that at (1, 1)
    // the prediction is 10 + 3.
    Matrix x(3, 2);
    x << 0, 0, 1, 2, 1, 1;
    Matrix y(3, 1);
    y << 10, 15, 0;
    CHECK(fit(x, y, {{0, 1}, {2}})(0, 0) == Approx(13).epsilon(1e-14));
}

TEST_CASE("predictions are scikit-learn's") {
    // LinearRegression().fit(X[:6], Y[:6]).predict(X[6:]) of the 8 × 4 and 8 × 2 formula matrices.
    Matrix expected(2, 2);
    expected << -0.20422535211267684, 1.391725352112676, 0.11267605633802727, 1.324823943661972;
    const Matrix found =
        fit(formula_features(8, 4), formula_targets(8, 2), {rows_from(0, 6), {6, 7}});
    CHECK(largest_difference(found, expected) < 1e-13);
}

TEST_CASE("tall and wide features are fitted as by their singular values") {
    const FoldRows fold = {{3, 1, 20, 7, 9, 11, 28, 2, 15, 16, 22, 23, 5}, {0, 29, 1}};
    for (const Eigen::Index features : {1, 5, 11, 12, 13, 14, 29, 30})
        for (const Eigen::Index targets : {2, 40}) {  // by coefficients, and by weights
            INFO(features << " features of 13 train rows among 30, " << targets << " targets");
            const Matrix x = random_matrix(30, features, 2);
            const Matrix y = random_matrix(30, targets, 1);
            CHECK(largest_difference(fit(x, y, fold), by_svd(x, y, fold)) < 1e-10);
        }
}

TEST_CASE("few targets are predicted by coefficients, many by weights no larger than features") {
    CHECK_FALSE(predicts_by_weights(300, 100, 200));
    CHECK_FALSE(predicts_by_weights(100, 1000, 90));
    CHECK(predicts_by_weights(100, 1000, 120));
    CHECK(predicts_by_weights(190, 100, 1e6));
    CHECK_FALSE(predicts_by_weights(200, 100, 1e9));
}

TEST_CASE("reduced features predict what the features do") {
    const ventral::test::RowMajorMatrix x = random_matrix(120, 500, 3);
    const Matrix y = random_matrix(120, 6, 4);
    Workers workers(1);
    const Matrix reduced = reduce_features({120, 500, ventral::test::slabs_of(x)}, workers);
    // Train rows that leave gaps in the triangle, in whatever order.
    std::vector<Eigen::Index> train;
    for (Eigen::Index i = 119; i >= 0; --i)
        if (i % 7 != 3) train.push_back(i);
    const FoldRows fold = {train, {3, 10, 17, 116, 119}};
    CHECK(largest_difference(linear_predict(reduced, y, 500, fold), by_svd(x, y, fold)) < 1e-10);
}

TEST_CASE("any rows of the reduced features in any order predict what the features do") {
    const ventral::test::RowMajorMatrix x = random_matrix(120, 500, 12);
    const Matrix y = random_matrix(120, 6, 13);
    Workers workers(1);
    const Matrix reduced = reduce_features({120, 500, ventral::test::slabs_of(x)}, workers);
    std::vector<Eigen::Index> order;  // 7 and 120 have no common factor
    for (Eigen::Index i = 0; i < 120; ++i) order.push_back((119 + 7 * i) % 120);
    for (const Eigen::Index count : {120, 70, 3}) {
        INFO(count << " of 120 rows");
        const std::vector<Eigen::Index> rows(order.begin(), order.begin() + count);
        const Matrix part = reduced(rows, Eigen::all);
        const Matrix features = x(rows, Eigen::all);
        const Matrix targets = y(rows, Eigen::all);
        FoldRows fold{{}, {0, count - 1}};
        for (Eigen::Index i = count - 2; i > 0; --i) fold.train.push_back(i);
        CHECK(largest_difference(linear_predict(part, targets, 500, fold),
                                 by_svd(features, targets, fold)) < 1e-10);
    }
}

TEST_CASE("rows of the reduced features may come more than once") {
    const ventral::test::RowMajorMatrix x = random_matrix(20, 100, 14);
    Workers workers(1);
    const Matrix reduced = reduce_features({20, 100, ventral::test::slabs_of(x)}, workers);
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < 60; ++i) rows.push_back((7 * i) % 20);
    const Matrix y = random_matrix(60, 3, 15);
    const FoldRows fold = {rows_from(0, 52), rows_from(52, 60)};
    CHECK(largest_difference(linear_predict(reduced(rows, Eigen::all), y, 100, fold),
                             by_svd(x(rows, Eigen::all), y, fold)) < 1e-9);
}

TEST_CASE("features that say the same twice count once") {
    // Twice the same columns, and of wide ones twice the same rows.
    Matrix x = random_matrix(30, 8, 5);
    x.rightCols(3) = x.leftCols(3);
    x.col(4).setConstant(0.7);
    const Matrix y = random_matrix(30, 4, 6);
    const FoldRows fold = {rows_from(0, 25), rows_from(25, 30)};
    CHECK(largest_difference(fit(x, y, fold), by_svd(x, y, fold)) < 1e-9);
    Matrix wide = random_matrix(30, 60, 7);
    wide.row(4) = wide.row(11);
    CHECK(largest_difference(fit(wide, y, fold), by_svd(wide, y, fold)) < 1e-9);
}

TEST_CASE("equal features count once also where the reference's routine keeps their rounding") {
    // It does of more than 25 features.
    for (const Eigen::Index equal : {1, 3}) {
        Matrix x = random_matrix(120, 55, 25);
        x.rightCols(equal) = x.leftCols(equal);
        x.col(10).setConstant(0.7);
        const Matrix y = random_matrix(120, 4, 26);
        const FoldRows fold = {rows_from(0, 100), rows_from(100, 120)};
        CHECK(largest_difference(fit(x, y, fold), by_svd(x, y, fold)) < 1e-9);
    }
}

TEST_CASE("a tiny feature counts as the reference has it, beside equal ones that count once") {
    Matrix x = random_matrix(120, 55, 27);
    x.rightCols(1) = x.leftCols(1);
    x.col(20) *= 1e-13;
    const Matrix y = random_matrix(120, 4, 28);
    const FoldRows fold = {rows_from(0, 100), rows_from(100, 120)};
    // As large as the others it gives the same, but for its rounding.
    Matrix scaled = x;
    scaled.col(20) *= 1e13;
    CHECK(largest_difference(fit(x, y, fold), by_svd(scaled, y, fold)) < 1e-2);
}

TEST_CASE("a constant added to features or targets adds itself to predictions only") {
    const Matrix x = random_matrix(30, 50, 8);
    const Matrix y = random_matrix(30, 4, 9);
    const FoldRows fold = {rows_from(0, 25), rows_from(25, 30)};
    const Matrix expected = fit(x, y, fold);
    CHECK(largest_difference(fit(x.array() + 3.0, y, fold), expected) < 1e-11);
    CHECK(largest_difference(fit(x, y.array() + 8.0, fold).array() - 8.0, expected) < 1e-12);
}

TEST_CASE("constant features and single rows predict the mean") {
    const Matrix y = formula_targets(8, 2);
    const Matrix means = y.topRows(6).colwise().mean();
    const Matrix found = fit(Matrix::Constant(8, 3, 0.7), y, {rows_from(0, 6), {6, 7}});
    CHECK(largest_difference(found.row(0), means) < 1e-14);
    CHECK(largest_difference(found.row(1), means) < 1e-14);
    CHECK(fit(formula_features(8, 4), y, {{2}, {7}}) == y.row(2));
}

TEST_CASE("blocks of targets are those of calls of their own, with the same bits anywhere") {
    const Matrix x = random_matrix(40, 70, 10);
    const Matrix y = random_matrix(40, 1030, 11);
    const FoldRows fold = {rows_from(0, 35), rows_from(35, 40)};
    const Matrix all = fit(x, y, fold);
    const Matrix rest = y.rightCols(6);
    CHECK(ventral::test::same_bits(all.rightCols(6), fit(x, rest, fold)));
    CHECK(ventral::test::same_bits(all.leftCols(1024), fit(x, y.leftCols(1024), fold)));
}

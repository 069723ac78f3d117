#include "stats/regression/train_products.hpp"

#include <catch2/catch.hpp>

#include "stats/regression/ridge_features.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;

namespace {

constexpr Eigen::Index rows = 40;

/// Folds of ten test rows each.
std::vector<FoldRows> quarters() {
    std::vector<FoldRows> folds;
    for (Eigen::Index first = 0; first < rows; first += 10) {
        FoldRows fold{rows_from(0, first), rows_from(first, first + 10)};
        for (const auto row : rows_from(first + 10, rows)) fold.train.push_back(row);
        folds.push_back(fold);
    }
    return folds;
}

Matrix centred_on_all(Matrix x) {
    x.rowwise() -= x.colwise().mean();
    return x;
}

/// The lower triangle of both ways, the shared one first.
std::pair<Matrix, Matrix> both(const Matrix& x, const FoldRows& fold, double alpha = 1) {
    ventral::core::Workers workers(2);
    const Vector mean = column_means(x, fold.train);
    const Matrix centred = centred_rows(x, fold.train, mean);
    const Matrix shared = TrainProducts(x, workers).of(fold, centred, mean, alpha);
    return {shared.triangularView<Eigen::Lower>(),
            own_products(centred).triangularView<Eigen::Lower>()};
}

}  // namespace

TEST_CASE("the products of train rows worked out by hand") {
    Matrix x(4, 2);
    x << 1, 0, -1, 2, 3, -2, -3, 0;
    const FoldRows fold{{0, 1, 2}, {3}};
    // About the means 1 and 0: 0, -2, 2 and 0, 2, -2.
    const auto [shared, apart] = both(x, fold);
    Matrix expected(2, 2);
    expected << 8, 0, -8, 8;
    CHECK(largest_difference(shared, expected) < 1e-14);
    CHECK(apart == expected);
}

TEST_CASE("products of rows are those of columns of the transposed matrix") {
    const Matrix x = random_matrix(7, 30, 9);
    CHECK(largest_difference(own_row_products(x), own_products(x.transpose())) < 1e-14);
}

TEST_CASE("products that folds share are those of each fold") {
    const Matrix x = centred_on_all(random_matrix(rows, 30, 1));
    for (const auto& fold : quarters()) {
        const auto [shared, apart] = both(x, fold);
        CHECK(largest_difference(shared, apart) < 1e-13);
    }
}

TEST_CASE("a feature that varies in the left-out rows alone keeps its digits") {
    Matrix x = random_matrix(rows, 30, 2);
    x.col(3).setZero();
    x(2, 3) = 1e6;  // constant in the train rows of the first fold
    x.col(7).head(10) *= 1e8;
    x = centred_on_all(x);
    const auto folds = quarters();
    const auto [shared, apart] = both(x, folds[0]);
    for (const Eigen::Index column : {3, 7}) {
        CHECK(largest_difference(shared.row(column), apart.row(column)) < 1e-13);
        CHECK(largest_difference(shared.col(column), apart.col(column)) < 1e-13);
    }
    CHECK(largest_difference(shared, apart) < 1e-13);
    Matrix huge = x;
    huge.topRows(10) *= 1e6;
    const auto [anew, alone] = both(centred_on_all(huge), folds[0]);
    CHECK(anew == alone);
}

TEST_CASE("predictions with shared products are those without, on any number of workers") {
    const Matrix x = centred_on_all(random_matrix(rows, 25, 3));
    const Matrix y = random_matrix(rows, 5, 4);
    ventral::core::Workers one(1);
    ventral::core::Workers three(3);
    const TrainProducts shared(x, one);
    const TrainProducts of_three(x, three);
    for (const auto& fold : quarters()) {
        const Matrix with = ridge_predict_features(x, y, fold, 1.0, {nullptr, &shared});
        CHECK(largest_difference(with, ridge_predict_features(x, y, fold, 1.0)) < 1e-12);
        CHECK(with == ridge_predict_features(x, y, fold, 1.0, {nullptr, &of_three}));
    }
}

TEST_CASE("an alpha that is lost in rounding takes the products of the train rows") {
    Matrix x = centred_on_all(random_matrix(rows, 25, 5));
    const Matrix y = random_matrix(rows, 5, 6);
    x.col(1) = x.col(0);  // singular but for alpha
    ventral::core::Workers workers(1);
    const TrainProducts shared(x, workers);
    for (const double alpha : {0.0, 1e-20})
        CHECK(ridge_predict_features(x, y, quarters()[1], alpha, {nullptr, &shared}) ==
              ridge_predict_features(x, y, quarters()[1], alpha));
}

TEST_CASE("sharing pays if folds leave out few rows, each row once") {
    CHECK(TrainProducts::pay(quarters(), rows));
    CHECK_FALSE(TrainProducts::pay(std::vector<FoldRows>{quarters()[0]}, rows));
    const FoldRows few{rows_from(0, 15), rows_from(15, rows)};
    CHECK_FALSE(TrainProducts::pay(std::vector<FoldRows>(8, few), rows));
    auto twice = quarters();
    twice[2].train.push_back(0);
    CHECK_FALSE(TrainProducts::pay(twice, rows));
}

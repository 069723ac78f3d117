#include "stats/regression/slab_correlations.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/similarity/correlation.hpp"
#include "stats/stored_features.hpp"

using namespace ventral;
using namespace ventral::stats;
using test::random_matrix;
using test::RowMajorMatrix;
using test::rows_from;

namespace {

/// features × targets of one fold.
Matrix correlations(const RowMajorMatrix& x, const Matrix& y, const std::vector<FoldRows>& folds,
                    std::size_t wanted) {
    core::Workers workers(2);
    const auto targets = train_targets(y, folds);
    const auto slab = test::slabs_of(x)(0, static_cast<std::size_t>(x.cols()));
    std::vector<double> centred(static_cast<std::size_t>(x.size()));
    const SlabCorrelations found(slab, targets, centred, workers);
    Matrix r(x.cols(), y.cols());
    for (std::size_t i = 0; i < found.feature_blocks(); ++i)
        for (std::size_t j = 0; j < found.target_blocks(); ++j)
            found.visit(i, j, [&](std::size_t fold, const Matrix& part) {
                if (fold == wanted)
                    r.block(static_cast<Eigen::Index>(SlabCorrelations::first_feature(i)),
                            SlabCorrelations::first_target(j), part.rows(), part.cols()) = part;
            });
    return r;
}

void check_pearson(const RowMajorMatrix& x, const Matrix& y, const std::vector<FoldRows>& folds) {
    for (std::size_t f = 0; f < folds.size(); ++f) {
        const Matrix r = correlations(x, y, folds, f);
        const Matrix train = rows_of(Matrix(x), folds[f].train);
        const Matrix targets = rows_of(y, folds[f].train);
        for (Eigen::Index j = 0; j < x.cols(); ++j)
            for (Eigen::Index t = 0; t < y.cols(); ++t)
                if (!(std::abs(r(j, t) - pearson(column(train, j), column(targets, t))) <
                      correlation_error))
                    FAIL_CHECK("fold " << f << ", feature " << j << ", target " << t << ": "
                                       << r(j, t));
    }
}

std::vector<FoldRows> thirds() {
    return {{rows_from(10, 30), rows_from(0, 10)},
            {rows_from(0, 20), rows_from(20, 30)},
            {rows_from(5, 30), rows_from(0, 5)},
            {rows_from(0, 28), rows_from(28, 30)}};
}

}  // namespace

TEST_CASE("the products of a slab give Pearson's correlation") {
    check_pearson(random_matrix(30, 300, 1), random_matrix(30, 520, 2), thirds());
    check_pearson(random_matrix(30, 20, 3), random_matrix(30, 3, 4), {thirds().front()});
}

TEST_CASE("folds are taken off the product of all rows where that saves work") {
    const Matrix y = random_matrix(30, 3, 4);
    const auto folds = thirds();
    // 10 + 10 + 20 + 26 fewer rows to multiply, against 30 more.
    const auto many = train_targets(y, folds);
    CHECK(many.any_left_out);
    CHECK(many.folds[3].factors == rows_from(28, 30));
    const auto one = train_targets(y, std::span(folds).first(1));
    CHECK(!one.any_left_out);
    CHECK(one.folds[0].factors == folds[0].train);
}

TEST_CASE("features and targets with much of their variance elsewhere keep their digits") {
    RowMajorMatrix x = random_matrix(30, 8, 5);
    x(0, 0) += 1e8;
    x(0, 1) += 3e3;
    x(29, 2) -= 1e12;
    x.col(3).head(29).array() += 1e6;
    Matrix y = random_matrix(30, 3, 6);
    check_pearson(x, y, thirds());
    y(29, 1) = 1e6;
    y(0, 2) = -1e5;
    check_pearson(x, y, thirds());
}

TEST_CASE("a feature that is constant over the train rows has no correlation") {
    RowMajorMatrix x = random_matrix(30, 3, 7);
    x.col(0).setConstant(0.1);
    x.col(1).head(28).setConstant(0.7);
    const Matrix y = random_matrix(30, 2, 8);
    const Matrix first = correlations(x, y, thirds(), 0);
    CHECK(std::isnan(first(0, 0)));
    CHECK(!std::isnan(first(1, 0)));
    const Matrix last = correlations(x, y, thirds(), 3);
    CHECK(std::isnan(last(0, 1)));
    CHECK(std::isnan(last(1, 1)));
    CHECK(!std::isnan(last(2, 1)));
}

TEST_CASE("a target that is constant over the train rows has no correlation") {
    const RowMajorMatrix x = random_matrix(30, 3, 7);
    Matrix y = random_matrix(30, 2, 9);
    y.col(1).head(28).setConstant(0.7);
    CHECK(!correlations(x, y, thirds(), 0).hasNaN());
    const Matrix last = correlations(x, y, thirds(), 3);
    CHECK(!last.col(0).hasNaN());
    CHECK(last.col(1).array().isNaN().all());
}

TEST_CASE("a fold without train rows is refused") {
    const Matrix y = random_matrix(30, 2, 9);
    const std::vector<FoldRows> empty = {{{}, rows_from(0, 2)}};
    CHECK_THROWS_AS(train_targets(y, empty), core::InputError);
}

TEST_CASE("values of a slab are taken as they are") {
    const RowMajorMatrix x = random_matrix(6, 40, 10);
    const auto slab = test::slabs_of(x)(2, 38);
    const std::vector<Eigen::Index> rows = {5, 0, 3};
    std::vector<std::size_t> features;
    for (std::size_t j = 0; j < 38; j += 2) features.push_back(j);
    const Matrix values = values_of(slab, rows, features);
    REQUIRE(values.cols() == 19);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 19; ++k)
            CHECK(values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) ==
                  x(rows[i], static_cast<Eigen::Index>(features[k] + 2)));
}

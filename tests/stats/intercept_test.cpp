#include "stats/regression/intercept.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "stats/gram_problem.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_cv.hpp"
#include "stats/regression/ridge_features.hpp"
#include "stats/similarity/correlation.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::GramProblem;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::view;

namespace {

const FoldRows fold{rows_from(0, 30), rows_from(30, 40)};

/// X_test B + (ȳ − x̄ B), as scikit-learn adds it up.
Matrix reference(const Matrix& x, const Matrix& y, double alpha) {
    const Vector x_mean = column_means(x, fold.train);
    const Vector y_mean = column_means(y, fold.train);
    const Matrix train = centred_rows(x, fold.train, x_mean);
    Matrix k = train * train.transpose();
    k.diagonal().array() += alpha;
    const Matrix b = train.transpose() * k.ldlt().solve(centred_rows(y, fold.train, y_mean));
    const Vector intercept = y_mean - b.transpose() * x_mean;
    return (rows_of(x, fold.test) * b).rowwise() + intercept.transpose();
}

/// How far r is from that of the reference, at most.
double distance(const Matrix& prediction, const Matrix& x, const Matrix& y, double alpha) {
    const Matrix recordings = rows_of(y, fold.test);
    const auto found = pearson_columns(prediction, recordings);
    const auto expected = pearson_columns(reference(x, y, alpha), recordings);
    double largest = 0;
    for (std::size_t j = 0; j < found.size(); ++j)
        largest = std::max(largest, std::abs(found[j] - expected[j]));
    return largest;
}

}  // namespace

TEST_CASE("products with the mean follow from the Gram and its sums") {
    const Matrix x = random_matrix(40, 70, 1).array() + 3;
    const GramProblem stored(x, random_matrix(40, 2, 2));
    const Vector mean = column_means(x, fold.train);
    const Vector expected = centred_rows(x, fold.train, mean) * mean;
    const Vector found = products_with_mean(stored.kernel(), stored.sums(), fold);
    CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-11);
    CHECK(products_with_mean(stored.kernel(), {}, fold).size() == 0);
    const Matrix centred = x.rowwise() - x.colwise().mean();
    const Vector left = column_means(centred, fold.train);
    const Vector of_narrow =
        products_with_mean(Kernel::of_features(ventral::test::view(centred)), stored.sums(), fold);
    CHECK((of_narrow - expected).cwiseAbs().maxCoeff() < 1e-11);
    const Matrix train = centred_rows(centred, fold.train, left);
    const Vector of_features = products_with_mean(train, left, stored.sums(), fold);
    CHECK((of_features - expected).cwiseAbs().maxCoeff() < 1e-11);
    CHECK(products_with_mean(train, left, {}, fold).size() == 0);
}

TEST_CASE("the intercept is rounded before the prediction is added to it") {
    const double third = 1.0 / 3;
    Matrix prediction = Matrix::Constant(1, 1, 1e-17);
    Vector y_mean = Vector::Constant(1, 1.1);
    Vector mean_prediction = Vector::Constant(1, third);
    add_intercept(prediction, y_mean, mean_prediction);
    CHECK(prediction(0, 0) == (1e-17 + third) + (1.1 - third));
    prediction(0, 0) = 0.5;
    add_intercept(prediction, y_mean, {});
    CHECK(prediction(0, 0) == 0.5 + 1.1);
}

TEST_CASE("what is left of r beside a far mean is the reference's") {
    Workers alone(1);
    for (const Eigen::Index features : {60, 20})
        for (const Eigen::Index targets : {4, 25}) {
            const Matrix x = 1e-4 * (random_matrix(40, features, 3).array() + 0.5).matrix();
            const Matrix y = random_matrix(40, targets, 4).array() + 300;
            const Matrix centred = x.rowwise() - x.colwise().mean();
            const GramProblem stored(x, y);
            const auto known = stored.without_features();
            auto unknown = known;
            unknown.sums = {};
            CHECK(distance(ridge_predict(unknown, fold, 10, alone), x, y, 10) > 1e-9);
            CHECK(distance(ridge_predict(known, fold, 10, alone), x, y, 10) < 1e-12);
            CHECK(distance(ridge_predict_features(centred, y, fold, 10, {&known.sums}), x, y, 10) <
                  1e-12);
            const auto chosen = ridge_cv_predict(known, fold, std::vector<double>{10}, alone);
            CHECK(distance(chosen.prediction, x, y, 10) < 1e-12);
            const auto of_features = ridge_cv_predict_features(
                centred, y, fold, std::vector<double>{10}, alone, stored.sums());
            CHECK(distance(of_features.prediction, x, y, 10) < 1e-12);
        }
}

#include "stats/regression/ridge_guard.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_cv.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;

namespace {

using Precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Precise deviations(const Precise& x) { return x.rowwise() - x.colwise().mean(); }

/// Of a ridge in 64 bits of mantissa, minus what all test rows have in common.
Precise exact_prediction(const Matrix& x, const Matrix& y, const FoldRows& fold, double alpha) {
    const Precise train = rows_of(x, fold.train).cast<long double>();
    const Precise test = rows_of(x, fold.test).cast<long double>();
    const Precise centred = deviations(train);
    Precise system = centred * centred.transpose();
    system.diagonal().array() += alpha;
    const Precise weights =
        system.ldlt().solve(deviations(rows_of(y, fold.train).cast<long double>()));
    return deviations(test * (centred.transpose() * weights));
}

/// The largest root mean square error of a target, beside what its prediction varies by.
double error_of(const Matrix& prediction, const Precise& exact) {
    const Precise found = deviations(prediction.cast<long double>());
    double largest = 0;
    for (Eigen::Index j = 0; j < exact.cols(); ++j)
        largest = std::max(largest, static_cast<double>((found.col(j) - exact.col(j)).norm() /
                                                        exact.col(j).norm()));
    return largest;
}

}  // namespace

TEST_CASE("the guard of a ridge says what its Gram's rounding costs, of features of any sizes") {
    const Eigen::Index rows = 400;
    for (const Eigen::Index train : {320, 20})  // of the Gram's mean they have much, or little
        for (const double large : {1.0, 1e3, 1e4, 1e5})
            for (const Eigen::Index row : {Eigen::Index{7}, train + 30})  // to train on, to predict
                for (const double alpha : {1.0, 1e5}) {
                    const FoldRows fold = {rows_from(0, train), rows_from(train, rows)};
                    Matrix x = random_matrix(rows, 500, 1);
                    const Matrix y = x * random_matrix(500, 3, 2) + 9 * random_matrix(rows, 3, 3);
                    x.row(row) *= large;
                    const Matrix kernel = centred_gram(x);
                    Workers workers(2);
                    const auto fit =
                        ridge_cv_predict({view(kernel), y, 500}, fold, std::vector{alpha}, workers);
                    const auto exact = exact_prediction(x, y, fold, alpha);
                    const double error = error_of(fit.prediction, exact);
                    INFO("row " << row << " of " << train << " times " << large << ", alpha "
                                << alpha << ": error " << error << ", guard " << fit.guard);
                    CHECK(error < 5 * fit.guard + 1e-13);
                    if (large > 1) CHECK(fit.guard < 100 * error + 1e-13);
                    if (large == 1) CHECK(fit.guard < guard_limit / 20);
                    const auto of_one =
                        ridge_predict_guarded({view(kernel), y, 500}, fold, alpha, workers);
                    CHECK(of_one.guard == Approx(fit.guard).epsilon(1e-3));
                    CHECK(same_bits(of_one.prediction, fit.prediction));
                    if (error < 1e-10) continue;
                    const auto again =
                        ridge_cv_predict_features(x, y, fold, std::vector{alpha}, workers);
                    CHECK(error_of(again.prediction, exact) < error / 10 + 1e-13);
                }
}

TEST_CASE("the guard of a ridge is the largest target's, none for one row or what is exact") {
    // Deviations ±2 and ±1: root mean squares 2 and 1.
    Matrix prediction(2, 3);
    prediction << 1, 7, 3, 5, 7, 5;
    const auto guard = [&](double first, double second, double third) {
        return ridge_guard((Vector(3) << first, second, third).finished(), prediction);
    };
    CHECK(guard(4e-12, 0, 1e-12) == 2e-12);
    CHECK(guard(4e-12, 0, 3e-12) == 3e-12);
    CHECK(guard(0, 1e-12, 0) == 1);
    CHECK(guard(0, std::nan(""), 0) == 1);
    // Below the rounding of 7 nothing is lost: a target that is constant, but for its centring.
    CHECK(guard(0, 1e-15, 0) == 0);
    CHECK(ridge_guard(Vector::Constant(3, 1e-12), prediction.topRows(1)) == 0);
}

#include "stats/regression/ridge_cv.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/regression/ridge_features.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;

namespace {

RidgeCvFit fit(const Matrix& kernel, const Matrix& targets, const FoldRows& fold,
               const std::vector<double>& alphas, std::size_t threads = 2) {
    Workers workers(threads);
    return ridge_cv_predict({view(kernel), targets, 1000}, fold, alphas, workers);
}

RidgeCvFit fit_features(const Matrix& x, const Matrix& targets, const FoldRows& fold,
                        const std::vector<double>& alphas) {
    Workers workers(2);
    return ridge_cv_predict_features(x, targets, fold, alphas, workers);
}

Matrix centred(const Matrix& x) { return x.rowwise() - x.colwise().mean(); }

/// Targets that a few directions of the features explain.
Matrix noisy_targets(const Matrix& x, Eigen::Index targets) {
    return x * random_matrix(x.cols(), targets, 3) + 4 * random_matrix(x.rows(), targets, 4);
}

}  // namespace

TEST_CASE("the list of alphas is Brain-Score's") {
    // .01 .1 .5 1, 10 … 77.5, 100 … 950 by 50 and so on to 1e6 … 1e7 by 5e5.
    const auto& list = alpha_list();
    REQUIRE(list.size() == 99);
    CHECK(list[3] == 1);
    CHECK(list[7] == 77.5);
    CHECK(list[8] == 100);
    CHECK(list[25] == 950);
    CHECK(list[26] == 1000);
    CHECK(list[79] == 950000);
    CHECK(list.back() == 1e7);
}

TEST_CASE("predictions are those of a ridge with the chosen alpha") {
    ventral::core::Workers workers(2);
    const FoldRows fold = {rows_from(3, 43), {0, 1, 2, 10, 44}};
    for (const Eigen::Index targets : {3, 60}) {  // fewer and more than test rows
        const Matrix wide = random_matrix(45, 70, 1);
        const Matrix y = noisy_targets(wide, targets).array() + 9;
        const Matrix kernel = centred_gram(wide);
        const auto from_gram = fit(kernel, y, fold, alpha_list());
        CHECK(from_gram.alpha > 0.01);
        CHECK(from_gram.alpha < 1e7);
        CHECK(from_gram.alpha_gap > 0);
        const Matrix expected =
            ridge_predict({view(kernel), y, 70}, fold, from_gram.alpha, workers);
        CHECK(largest_difference(from_gram.prediction, expected) < 1e-11);

        const Matrix tall = wide.leftCols(12);
        const Matrix tall_y = noisy_targets(tall, targets);
        const auto from_features = fit_features(tall, tall_y, fold, alpha_list());
        CHECK(largest_difference(from_features.prediction,
                                 ridge_predict_features(tall, tall_y, fold, from_features.alpha)) <
              1e-11);
    }
}

TEST_CASE("predictions are scikit-learn's") {
    // RidgeCV([.1, 1, 10]).fit(X[:6], Y[:6]).predict(X[6:]) of the formula matrices, n ≤ p; and
    // RidgeCV([.1, 1, 10, 100]), n > p.
    const FoldRows fold = {rows_from(0, 6), {6, 7}};
    const Matrix y = formula_targets(8, 2);
    const auto wide = fit(centred_gram(formula_features(8, 9)), y, fold, {0.1, 1, 10});
    const auto tall = fit_features(formula_features(8, 3), y, fold, {0.1, 1, 10, 100});
    Matrix expected(2, 2);
    expected << 0.34620429711745504, 0.9343964994689054, 0.31131166690083417, 0.842726953107563;
    CHECK(wide.alpha == 10);
    CHECK(largest_difference(wide.prediction, expected) < 1e-12);
    expected << 0.4190659372743815, 0.8147446493097793, 0.4329046203470796, 0.7848255376941303;
    CHECK(tall.alpha == 10);
    CHECK(largest_difference(tall.prediction, expected) < 1e-12);
}

TEST_CASE("both forms agree where there are more rows than features") {
    const Matrix x = random_matrix(60, 20, 1);
    const Matrix y = noisy_targets(x, 5);
    const FoldRows fold = {rows_from(0, 50), rows_from(50, 60)};
    const auto one = fit(centred_gram(x), y, fold, alpha_list());
    const auto other = fit_features(x, y, fold, alpha_list());
    CHECK(one.alpha == other.alpha);
    CHECK(one.alpha_gap == Approx(other.alpha_gap).epsilon(1e-8));
    CHECK(largest_difference(one.prediction, other.prediction) < 1e-11);
}

TEST_CASE("a train row far from all others costs no digits of features") {
    using Precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    Matrix x = random_matrix(90, 12, 6).array() + 100;
    x.row(25) *= 1e4;
    const FoldRows fold = {rows_from(0, 70), rows_from(70, 90)};
    constexpr double alpha = 1e7;
    for (const Eigen::Index targets : {3, 60}) {  // fewer and more than test rows
        const Matrix y = random_matrix(90, targets, 7);
        const Precise mean = x.topRows(70).cast<long double>().colwise().mean();
        const Precise train = x.topRows(70).cast<long double>().rowwise() - mean.row(0);
        Precise system = train.transpose() * train;
        system.diagonal().array() += alpha;
        const Precise weights =
            system.ldlt().solve(train.transpose() * y.topRows(70).cast<long double>());
        const Matrix expected =
            ((x.bottomRows(20).cast<long double>()) * weights).eval().cast<double>();
        const Matrix found = fit_features(x, y, fold, {alpha}).prediction;
        // Of these a correlation is made; all else is common to the test rows.
        CHECK(largest_difference(centred(found), centred(expected)) <
              1e-10 * centred(expected).cwiseAbs().maxCoeff());
    }
}

TEST_CASE("few features of fewer train rows give what their Gram gives") {
    const Matrix x = random_matrix(60, 20, 5);
    const Matrix y = noisy_targets(x, 5);
    const FoldRows fold = {rows_from(0, 15), rows_from(15, 60)};
    const Matrix centred = x.rowwise() - x.colwise().mean();
    const auto held = fit(centred_gram(x), y, fold, alpha_list());
    Workers workers(2);
    const auto narrow =
        ridge_cv_predict({Kernel::of_features(view(centred)), y, 20}, fold, alpha_list(), workers);
    CHECK(narrow.alpha == held.alpha);
    CHECK(largest_difference(narrow.prediction, held.prediction) < 1e-11);
}

TEST_CASE("a target that is constant in the train rows is predicted as that constant") {
    const Matrix x = random_matrix(45, 70, 1);
    Matrix y = noisy_targets(x, 3);
    y.col(1).setConstant(0.1);
    const auto found = fit(centred_gram(x), y, {rows_from(0, 40), rows_from(40, 45)}, alpha_list());
    CHECK(found.prediction.col(1) == Vector::Constant(5, 0.1));
}

TEST_CASE("the number of workers changes no bit, nor does where the kernel lies") {
    const Matrix x = random_matrix(240, 300, 1);
    const Matrix kernel = centred_gram(x);
    const FoldRows fold = {rows_from(0, 220), rows_from(220, 240)};
    for (const Eigen::Index targets : {7, 230}) {
        const Matrix y = noisy_targets(x, targets);
        const auto expected = fit(kernel, y, fold, alpha_list(), 1);
        for (const std::size_t threads : {2U, 5U})
            CHECK(same_bits(fit(kernel, y, fold, alpha_list(), threads).prediction,
                            expected.prediction));
        std::vector<double> memory(static_cast<std::size_t>(kernel.size()) + 3);
        std::copy_n(kernel.data(), kernel.size(), memory.data() + 3);
        Workers workers(2);
        const auto moved = ridge_cv_predict({MatrixView(memory.data() + 3, 240, 240), y, 1000},
                                            fold, alpha_list(), workers);
        CHECK(same_bits(moved.prediction, expected.prediction));
    }
}

TEST_CASE("alphas that are no alphas are refused") {
    const Matrix x = random_matrix(10, 12, 1);
    const Matrix y = random_matrix(10, 2, 2);
    const FoldRows fold = {rows_from(0, 8), {8, 9}};
    for (const double alpha : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
        CHECK_THROWS_AS(fit(centred_gram(x), y, fold, {1.0, alpha}), InputError);
    CHECK_THROWS_AS(fit(centred_gram(x), y, fold, {}), InputError);
    CHECK_THROWS_AS(fit_features(x, y, fold, {}), InputError);
}

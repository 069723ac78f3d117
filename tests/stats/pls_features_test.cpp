#include "stats/pls/pls_features.hpp"

#include <cmath>
#include <utility>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/small_problems.hpp"
#include "stats/stored_features.hpp"
#include "stats/textbook_pls.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::formula_features;
using ventral::test::formula_targets;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::textbook;
using ventral::test::view;
using Passes = std::vector<std::size_t>;

namespace {

PlsFold fit(const Matrix& x, const Matrix& y, const FoldRows& fold, std::size_t components) {
    return pls_predict_features(x, y, static_cast<std::size_t>(x.cols()), fold, components);
}

PlsFold fit_gram(const Matrix& x, const Matrix& y, const FoldRows& fold, std::size_t components) {
    Workers workers(1);
    const Matrix kernel = centred_gram(x);
    const Problem problem{view(kernel), y, static_cast<std::size_t>(x.cols())};
    return pls_predict(problem, {&fold, 1}, components, workers).front();
}

const FoldRows six_and_two = {rows_from(0, 6), {6, 7}};

}  // namespace

TEST_CASE("one feature and one component are a line through the train rows") {
    // y = 2 x + 1 on the train rows; at x = 5 it is 11.
    Matrix x(4, 1);
    x << 0, 1, 3, 5;
    Matrix y(4, 1);
    y << 1, 3, 7, 0;
    const auto line = fit(x, y, {{0, 1, 2}, {3}}, 1);
    CHECK(line.prediction(0, 0) == Approx(11).epsilon(1e-14));
    CHECK(line.passes == Passes{1});
}

TEST_CASE("predictions and passes are scikit-learn's") {
    // PLSRegression(2, scale=False).fit(X[:6], Y[:6]), its predict(X[6:]) and n_iter_, of the 8 × 4
    // and 8 × 2 formula matrices.
    const auto two = fit(formula_features(8, 4), formula_targets(8, 2), six_and_two, 2);
    Matrix expected(2, 2);
    expected << -0.1491372489772435, 1.231593574044565, 0.09910352174079345, 1.0111025976387071;
    CHECK(largest_difference(two.prediction, expected) < 1e-13);
    CHECK(two.passes == Passes{6, 4});
}

TEST_CASE("the Gram form, the features form and a textbook agree on ordinary data") {
    const Matrix x = random_matrix(60, 35, 1);
    const Matrix y = random_matrix(60, 9, 2) + x.leftCols(9);
    const FoldRows fold = {rows_from(0, 50), rows_from(45, 60)};
    const auto features = fit(x, y, fold, 10);
    const auto gram = fit_gram(x, y, fold, 10);
    const auto plain = textbook(x, y, fold, 10);
    CHECK(features.passes == plain.passes);
    CHECK(features.passes == gram.passes);
    CHECK(largest_difference(features.prediction, plain.prediction) < 1e-10);
    CHECK(largest_difference(features.prediction, gram.prediction) < 1e-10);
    CHECK(features.stop_margin == Approx(gram.stop_margin).epsilon(1e-6));
    CHECK(features.guard < gram.guard * 10);
}

TEST_CASE("a single target stops after one pass") {
    const Matrix x = random_matrix(30, 12, 3);
    const Matrix y = random_matrix(30, 1, 4);
    const FoldRows fold = {rows_from(0, 25), rows_from(25, 30)};
    const auto single = fit(x, y, fold, 4);
    CHECK(single.passes == Passes{1, 1, 1, 1});
    CHECK(largest_difference(single.prediction, textbook(x, y, fold, 4).prediction) < 1e-12);
}

TEST_CASE("the reduced features predict what the features do") {
    const ventral::test::RowMajorMatrix x = random_matrix(40, 150, 5);
    const Matrix y = random_matrix(40, 6, 6);
    const FoldRows fold = {rows_from(0, 34), rows_from(34, 40)};
    Workers workers(1);
    const Matrix reduced = reduce_features({40, 150, ventral::test::slabs_of(x)}, workers);
    const auto of_reduced = pls_predict_features(reduced, y, 150, fold, 8);
    const auto of_features = fit(x, y, fold, 8);
    CHECK(of_reduced.passes == of_features.passes);
    CHECK(largest_difference(of_reduced.prediction, of_features.prediction) < 1e-11);
}

TEST_CASE("components of tiny variance are found where the Gram form loses them") {
    // Three large directions and 20 that are 1e-6 of them, which the targets need: squared, they
    // are 1e-12 of the Gram.
    Matrix x = random_matrix(50, 23, 7);
    x.rightCols(20) *= 1e-6;
    const Matrix y = x.leftCols(5) * 2 + 1e6 * x.rightCols(5) + 0.1 * random_matrix(50, 5, 8);
    const FoldRows fold = {rows_from(0, 45), rows_from(45, 50)};
    const auto expected = textbook(x, y, fold, 8);
    const auto features = fit(x, y, fold, 8);
    const auto gram = fit_gram(x, y, fold, 8);
    CHECK(features.passes == expected.passes);
    CHECK(largest_difference(features.prediction, expected.prediction) < 1e-8);
    CHECK(gram.guard > guard_limit);
    CHECK(features.guard < 1e-8);
    CHECK(largest_difference(gram.prediction, expected.prediction) >
          10 * largest_difference(features.prediction, expected.prediction));
}

TEST_CASE("targets that are used up end the components") {
    // y is exactly one feature, of which the other is independent: one component explains it.
    Matrix x(4, 2);
    x << 1, 1, 1, -1, -1, 1, -1, -1;
    const Matrix y = x.col(0);
    const auto used_up = fit(x, y, {rows_from(0, 4), {0, 3}}, 2);
    CHECK(used_up.passes == Passes{1});
    CHECK(used_up.prediction(0, 0) == Approx(1).epsilon(1e-15));
    CHECK(used_up.prediction(1, 0) == Approx(-1).epsilon(1e-15));
}

TEST_CASE("a constant target is predicted by its value") {
    Matrix y = formula_targets(8, 2);
    y.col(0).setConstant(0.1);
    const auto constant = fit(formula_features(8, 4), y, six_and_two, 2);
    CHECK(constant.prediction(0, 0) == Approx(0.1).epsilon(1e-14));
    CHECK(constant.prediction(1, 0) == Approx(0.1).epsilon(1e-14));
}

TEST_CASE("features that are used up say so") {
    // One direction only, and targets that it does not explain: nothing is left for the second.
    const Matrix x = Matrix::Constant(1, 3, 1.0).replicate(8, 1).cwiseProduct(
        Vector::LinSpaced(8, -4, 3).replicate(1, 3));
    const auto fewer = fit(x, formula_targets(8, 2), six_and_two, 3);
    CHECK(fewer.guard > 1e-3);
}

TEST_CASE("what the reference refuses is refused") {
    const Matrix y = formula_targets(8, 2);
    CHECK_THROWS_AS(fit(formula_features(8, 4), y, six_and_two, 5), InputError);
    CHECK_THROWS_AS(fit(Matrix::Constant(8, 4, 0.1), y, six_and_two, 1), InputError);
    const auto of_constants =
        fit(Matrix::Constant(8, 4, 0.1), Matrix::Constant(8, 2, 2.0), six_and_two, 1);
    CHECK(of_constants.prediction == Matrix::Constant(2, 2, 2.0));
    CHECK_THROWS_AS(fit(formula_features(8, 4), y, {{0}, {1}}, 1), InputError);
}

TEST_CASE("more targets than rows or features are fitted as a textbook does") {
    // 1100 targets are two blocks.
    for (const auto& [features, count] : {std::pair(35, 70), {12, 70}, {60, 1100}, {15, 30}}) {
        INFO(features << " features, " << count << " targets");
        const Matrix x = random_matrix(50, features, 11);
        Matrix y = random_matrix(50, count, 12);
        y.leftCols(10) += x.leftCols(10);
        y.col(0).setConstant(0.3);
        const FoldRows fold = {rows_from(0, 42), rows_from(40, 50)};
        const auto many = fit(x, y, fold, 8);
        const auto expected = textbook(x, y.rightCols(count - 1), fold, 8);
        CHECK(many.passes == expected.passes);
        CHECK(largest_difference(many.prediction.rightCols(count - 1), expected.prediction) <
              1e-10);
        CHECK(largest_difference(many.prediction.col(0), Vector::Constant(10, 0.3)) < 1e-15);
        CHECK(many.guard < 1e-12);
    }
}

TEST_CASE("components of tiny variance are found for more targets than features too") {
    Matrix x = random_matrix(50, 23, 13);
    x.rightCols(20) *= 1e-6;
    const Matrix of_most = (x.leftCols(5) * 2 + 1e6 * x.rightCols(5)) * random_matrix(5, 90, 14) +
                           0.1 * random_matrix(50, 90, 15);
    const FoldRows fold = {rows_from(0, 45), rows_from(45, 50)};
    for (const Eigen::Index count : {30, 90}) {
        const Matrix y = of_most.leftCols(count);
        const auto expected = textbook(x, y, fold, 8);
        const auto found = fit(x, y, fold, 8);
        CHECK(found.passes == expected.passes);
        CHECK(largest_difference(found.prediction, expected.prediction) < 1e-8);
    }
}

TEST_CASE("components after features and targets have nothing in common keep the digits") {
    // One target of sixty varies, so that some components use up what it has of the features.
    const Matrix x = random_matrix(1500, 26, 17);
    Matrix y = Matrix::Constant(1500, 60, 0.5);
    y.col(7) = x * random_matrix(26, 1, 18) + 2 * random_matrix(1500, 1, 19);
    const FoldRows fold = {rows_from(0, 1350), rows_from(1350, 1500)};
    const Vector found = fit(x, y, fold, 25).prediction.col(7);
    const auto expected = textbook(x, y.col(7), fold, 25);
    CHECK(largest_difference(found, expected.prediction) < 1e-9);
}

TEST_CASE("small scales of features and targets stop no pass too early") {
    const FoldRows fold = {rows_from(0, 30), rows_from(30, 40)};
    const Matrix x = random_matrix(40, 9, 1);
    const Matrix y = x.leftCols(4) + random_matrix(40, 4, 2);
    Workers workers(1);
    for (const auto& [of_features, of_targets] :
         {std::pair(1e-6, 1e-10), std::pair(1e-2, 1e-13), std::pair(1e-18, 1.0),
          std::pair(1e-15, 1.0), std::pair(1.0, 1e-12)}) {
        const Matrix features = of_features * x;
        const Matrix targets = of_targets * y;
        const auto expected = textbook(features, targets, fold, 4);
        const Matrix kernel = centred_gram(features);
        const Problem problem{view(kernel), targets, 9};
        const auto of_form = [&](PlsTargetForm form) {
            return pls_predict_as(form, problem, {&fold, 1}, 4, workers).front();
        };
        for (const auto& found : {of_form(PlsTargetForm::columns), of_form(PlsTargetForm::rows),
                                  fit(features, targets, fold, 4)}) {
            CAPTURE(of_features, of_targets);
            CHECK(found.passes == expected.passes);
            CHECK(largest_difference(found.prediction, expected.prediction) < 1e-11 * of_targets);
        }
    }
}

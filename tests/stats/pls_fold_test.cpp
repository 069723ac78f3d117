#include "stats/pls/pls_fold.hpp"

#include <cmath>
#include <memory>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::centred_gram;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::view;

namespace {

/// One fold of a problem, stepped by hand.
class Stepper {
public:
    Stepper(const Matrix& kernel, const Matrix& targets, FoldRows fold,
            PlsTargetForm form = PlsTargetForm::columns)
        : fold_(std::move(fold)),
          kernel_(kernel),
          problem_{view(kernel), targets, 7},
          shared_{problem_, 7, form, {}, {}, {}, {}, {}, {}} {
        Workers workers(1);
        shared_.in_use = Vector::Ones(targets.rows());
        shared_.targets = form == PlsTargetForm::columns
                              ? Matrix(targets.rowwise() - targets.colwise().mean())
                              : reduce_targets(targets, {&fold_, 1}, workers);
        shared_.kernel_targets = kernel * shared_.targets;
        shared_.kernel_sums = kernel * shared_.in_use;
        shared_.kernel_diagonal = kernel.diagonal();
        shared_.products = products_of_targets(shared_, workers);
        iteration_ = std::make_unique<PlsIteration>(shared_, fold_);
    }

    Vector step() {
        const Vector weights = iteration_->next_weights();
        const Vector direction = iteration_->direction(shared_.targets * weights);
        const Vector scores = iteration_->scores(kernel_ * direction);
        const Vector residual = iteration_->residual(kernel_ * scores);
        iteration_->take_out(shared_.targets.transpose() * scores,
                             shared_.targets.transpose() * residual);
        return scores;
    }

    PlsFold predict() const { return iteration_->predict(); }

private:
    FoldRows fold_;
    const Matrix& kernel_;
    Problem problem_;
    PlsProblem shared_;
    std::unique_ptr<PlsIteration> iteration_;
};

}  // namespace

TEST_CASE("scores are orthogonal, sum to zero, and are zero outside the train rows") {
    const Matrix kernel = centred_gram(random_matrix(30, 7, 1));
    const Matrix y = random_matrix(30, 5, 2);
    Stepper stepper(kernel, y, {rows_from(4, 28), {0, 29}});
    std::vector<Vector> scores;
    for (int k = 0; k < 4; ++k) scores.push_back(stepper.step());
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(scores[k].norm() > 0);
        CHECK(scores[k].head(4) == Vector::Zero(4));
        CHECK(scores[k].tail(2) == Vector::Zero(2));
        CHECK(scores[k].sum() == Approx(0).margin(1e-12));
        for (std::size_t j = 0; j < k; ++j)
            CHECK(scores[k].dot(scores[j]) == Approx(0).margin(1e-12));
    }
}

TEST_CASE("without a component the prediction is the mean of the train rows") {
    const Matrix kernel = centred_gram(random_matrix(10, 7, 3));
    const Matrix y = random_matrix(10, 2, 4);
    const auto fit = Stepper(kernel, y, {rows_from(0, 8), {8, 9}}).predict();
    const Matrix means = y.topRows(8).colwise().mean();
    CHECK(fit.passes.empty());
    CHECK(fit.guard == 0);
    CHECK(largest_difference(fit.prediction.row(0), means) < 1e-15);
    CHECK(largest_difference(fit.prediction.row(1), means) < 1e-15);
}

TEST_CASE("once the targets are used up there are no more components") {
    // y = 3 x: the first component explains it to the last bit or nearly.
    Matrix x(5, 1);
    x << -2, -1, 1, 2, 4;
    const Matrix y = 3 * x;
    const Matrix kernel = plain_gram(x);
    Stepper stepper(kernel, y, {rows_from(0, 4), {4}});
    CHECK(stepper.step().norm() > 0);
    CHECK(stepper.step() == Vector::Zero(5));
    CHECK(stepper.step() == Vector::Zero(5));
    const auto fit = stepper.predict();
    CHECK(fit.passes == std::vector<std::size_t>{1});
    CHECK(std::isfinite(fit.guard));
    CHECK(fit.prediction(0, 0) == Approx(12).epsilon(1e-14));
}

TEST_CASE("a fold that leaves out most rows is fitted like the same rows alone") {
    // Alone the fold leaves out few rows, among the others most: K Y is formed in two ways.
    const Matrix x = random_matrix(60, 7, 5);
    const Matrix y = random_matrix(60, 3, 6);
    const FoldRows fold = {rows_from(0, 20), rows_from(20, 24)};
    const Matrix kernel = plain_gram(x);
    const Matrix few_kernel = plain_gram(x.topRows(24));
    const Matrix few_y = y.topRows(24);
    Stepper among_many(kernel, y, fold);
    Stepper alone(few_kernel, few_y, fold);
    for (int k = 0; k < 3; ++k) {
        among_many.step();
        alone.step();
    }
    CHECK(among_many.predict().passes == alone.predict().passes);
    CHECK(largest_difference(among_many.predict().prediction, alone.predict().prediction) < 1e-12);
}

TEST_CASE("the guard grows as components of less variance are taken") {
    const Vector scales = (Vector(7) << 100, 10, 1, 0.1, 0.01, 0.001, 0.0001).finished();
    const Matrix x = random_matrix(40, 7, 7) * scales.asDiagonal();
    const Matrix kernel = centred_gram(x);
    const Matrix y = random_matrix(40, 7, 8);
    Stepper stepper(kernel, y, {rows_from(0, 35), rows_from(35, 40)});
    double guard = 0;
    for (int k = 0; k < 5; ++k) {
        stepper.step();
        CHECK(stepper.predict().guard >= guard);
        guard = stepper.predict().guard;
    }
    CHECK(guard > guard_limit);
}

TEST_CASE("both forms of the targets find the same scores, up to rounding") {
    const Matrix kernel = centred_gram(random_matrix(30, 20, 9));
    const Matrix y = random_matrix(30, 50, 10);
    const FoldRows fold = {rows_from(2, 28), {0, 1, 29}};
    Stepper columns(kernel, y, fold, PlsTargetForm::columns);
    Stepper rows(kernel, y, fold, PlsTargetForm::rows);
    for (int k = 0; k < 6; ++k) {
        const Vector expected = columns.step();
        CHECK(largest_difference(rows.step(), expected) < 1e-11 * expected.norm());
    }
    CHECK(rows.predict().passes == columns.predict().passes);
    CHECK(rows.predict().stop_margin == Approx(columns.predict().stop_margin).epsilon(1e-5));
    CHECK(rows.predict().guard == Approx(columns.predict().guard).epsilon(1e-9));
}

TEST_CASE("a column that deflation makes vanish is zero from then on") {
    // Y is a multiple of the only feature beside a column that it has nothing to do with.
    Matrix x(6, 1);
    x << -3, -2, -1, 1, 2, 3;
    Matrix y(6, 2);
    y << 3 * x, Vector::Zero(6);
    y.col(1) << 1, -2, 1, 1, -2, 1;  // orthogonal to x and to the constant
    const Matrix kernel = plain_gram(x);
    Stepper stepper(kernel, y, {rows_from(0, 6), {0, 5}});
    CHECK(stepper.step().norm() > 0);
    stepper.step();
    const auto fit = stepper.predict();
    CHECK(fit.prediction(0, 0) == Approx(-9).epsilon(1e-14));
    CHECK(std::abs(fit.prediction(0, 1)) < 1e-13);
}

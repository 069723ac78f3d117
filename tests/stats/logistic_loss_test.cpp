#include "stats/logistic/logistic_loss.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;

namespace {

/// Two features, three classes, four presentations.
struct SmallProblem {
    RowTable<double> features = ventral::test::formula_features(4, 2);
    LogisticLoss<double> loss{features, {0, 2, 1, 0}, 3, 0.5};

    RowTable<double> somewhere() const {
        return (RowTable<double>(3, 3) << 0.3, -0.2, 0.1, -1, 0.4, 0.2, 0.05, 0.5, -0.3).finished();
    }
};

}  // namespace

TEST_CASE("without weights every class is equally likely") {
    const SmallProblem problem;
    const auto zero = problem.loss.zero_parameters();
    CHECK(problem.loss.value(zero) == Approx(4 * std::log(3)).epsilon(1e-15));
    CHECK((problem.loss.probabilities(zero).array() - 1.0 / 3).abs().maxCoeff() < 1e-15);
    // Intercepts: 4 / 3 minus the number of presentations of each class, 2, 1, 1.
    const auto gradient = problem.loss.gradient(zero);
    CHECK(gradient(2, 0) == Approx(-2.0 / 3).epsilon(1e-14));
    CHECK(gradient(2, 1) == Approx(1.0 / 3).epsilon(1e-14));
}

TEST_CASE("a loss worked out by hand, with the penalty but of the intercepts") {
    // x = 2, W = (0.5, 0), b = (-1, 0): decisions 0 and 0, so ln 2, and 0.25 · 3 / 2 for W.
    const RowTable<double> features = RowTable<double>::Constant(1, 1, 2);
    const LogisticLoss<double> loss(features, {1}, 2, 3);
    const auto parameters = (RowTable<double>(2, 2) << 0.5, 0, -1, 0).finished();
    CHECK(loss.value(parameters) == Approx(std::log(2) + 0.375).epsilon(1e-15));
}

TEST_CASE("the gradient is the slope of the loss") {
    const SmallProblem problem;
    const auto here = problem.somewhere();
    const auto gradient = problem.loss.gradient(here);
    constexpr double step = 1e-5;
    for (Eigen::Index i = 0; i < here.size(); ++i) {
        auto above = here;
        auto below = here;
        above.data()[i] += step;
        below.data()[i] -= step;
        const double slope = (problem.loss.value(above) - problem.loss.value(below)) / (2 * step);
        CHECK(gradient.data()[i] == Approx(slope).margin(1e-9));
    }
}

TEST_CASE("the curvature is the slope of the gradient") {
    const SmallProblem problem;
    const auto here = problem.somewhere();
    const RowTable<double> direction = RowTable<double>::Constant(3, 3, 0.7) - 2 * here;
    const auto curved = problem.loss.times_hessian(problem.loss.probabilities(here), direction);
    constexpr double step = 1e-5;
    const RowTable<double> slope = (problem.loss.gradient(here + step * direction) -
                                    problem.loss.gradient(here - step * direction)) /
                                   (2 * step);
    CHECK((curved - slope).cwiseAbs().maxCoeff() < 1e-8);
}

TEST_CASE("decisions that would overflow do not") {
    const RowTable<double> features = RowTable<double>::Constant(1, 1, 1e4);
    const LogisticLoss<double> loss(features, {0}, 2, 0);
    const auto parameters = (RowTable<double>(2, 2) << 1, 0, 0, 0).finished();
    CHECK(loss.value(parameters) == 0);
    CHECK(loss.probabilities(parameters)(0, 0) == 1);
}

#include "stats/regression/alpha_search.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "stats/leave_one_out_problem.hpp"
#include "stats/regression/ridge_cv.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::centred;
using ventral::test::errors_of;
using ventral::test::random_matrix;
using ventral::test::spectrum_of;
using ventral::test::SpreadFeatures;
using Numbers = std::vector<double>;

namespace {

AlphaChoice choice_of(const Matrix& x, const Matrix& y, const Numbers& alphas,
                      std::size_t threads = 2) {
    Workers workers(threads);
    return choose_alpha(spectrum_of(x), centred(y), alphas, workers);
}

void check_choice_is_that_of_all_errors(const SpreadFeatures& problem, const Numbers& alphas) {
    const auto errors = errors_of(problem.x, problem.y, alphas);
    const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
    auto others = errors;
    others.erase(others.begin() + best);
    const double least = errors[static_cast<std::size_t>(best)];
    const double next = *std::min_element(others.begin(), others.end());
    const auto choice = choice_of(problem.x, problem.y, alphas);
    CHECK(choice.alpha == alphas[static_cast<std::size_t>(best)]);
    CHECK(choice.gap == Approx((next - least) / least).epsilon(1e-8));
}

}  // namespace

TEST_CASE("the alpha that is chosen, and its gap, are those of all errors") {
    for (const double noise : {0.01, 1.0, 10.0, 300.0})
        for (const Eigen::Index features : {30, 200}) {
            check_choice_is_that_of_all_errors({60, features, 5, noise}, alpha_list());
            check_choice_is_that_of_all_errors({60, features, 100, noise}, alpha_list());
        }
}

TEST_CASE("alphas may be few, one, in any order, or listed twice") {
    const SpreadFeatures problem(40, 60, 4, 10);
    check_choice_is_that_of_all_errors(problem, {0.1, 1e7});
    auto mixed = alpha_list();
    std::reverse(mixed.begin() + 20, mixed.end());
    check_choice_is_that_of_all_errors(problem, mixed);
    const auto single = choice_of(problem.x, problem.y, {3});
    CHECK(single.alpha == 3);
    CHECK(std::isinf(single.gap));
    auto twice = alpha_list();
    twice.insert(twice.end(), alpha_list().begin(), alpha_list().end());
    const auto once = choice_of(problem.x, problem.y, alpha_list());
    CHECK(choice_of(problem.x, problem.y, twice).alpha == once.alpha);
    CHECK(choice_of(problem.x, problem.y, twice).gap == once.gap);
}

TEST_CASE("of equal errors the first of the list is taken") {
    const Matrix x = random_matrix(20, 30, 1);
    const auto choice = choice_of(x, Matrix::Constant(20, 2, 4.0), {5, 2, 7});
    CHECK(choice.alpha == 5);  // targets that never change have no error
    CHECK(choice.gap == 0);
}

TEST_CASE("the number of workers changes no bit of a choice") {
    const SpreadFeatures problem(220, 300, 150, 10);
    const auto choice = choice_of(problem.x, problem.y, alpha_list(), 1);
    for (const std::size_t threads : {2U, 5U}) {
        const auto again = choice_of(problem.x, problem.y, alpha_list(), threads);
        CHECK(again.alpha == choice.alpha);
        CHECK(again.gap == choice.gap);
    }
}

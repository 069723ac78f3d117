#include "stats/leave_one_out.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "stats/ridge.hpp"
#include "stats/ridge_cv.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;
using Numbers = std::vector<double>;

namespace {

Matrix centred(const Matrix& x) { return x.rowwise() - x.colwise().mean(); }

/// Of either form, as the shape of the features asks for.
RidgeSpectrum spectrum_of(const Matrix& x) {
    Workers workers(2);
    const Matrix c = centred(x);
    return x.cols() < x.rows() ? spectrum_of_features(c)
                               : spectrum_of_kernel(c * c.transpose(), workers);
}

Numbers errors_of(const Matrix& x, const Matrix& y, const Numbers& alphas,
                  std::size_t threads = 2) {
    Workers workers(threads);
    return leave_one_out_errors(spectrum_of(x), centred(y), alphas, workers);
}

AlphaChoice choice_of(const Matrix& x, const Matrix& y, const Numbers& alphas,
                      std::size_t threads = 2) {
    Workers workers(threads);
    return choose_alpha(spectrum_of(x), centred(y), alphas, workers);
}

/// Features of all scales, and targets that depend on the large ones.
struct Spread {
    Matrix x;
    Matrix y;

    Spread(Eigen::Index rows, Eigen::Index features, Eigen::Index targets, double noise) {
        x = random_matrix(rows, features, 1);
        for (Eigen::Index j = 0; j < features; ++j)
            x.col(j) *=
                30 * std::pow(0.5, 12.0 * static_cast<double>(j) / static_cast<double>(features));
        y = x * random_matrix(features, targets, 2) + noise * random_matrix(rows, targets, 3);
    }
};

void check_choice_is_that_of_all_errors(const Spread& problem, const Numbers& alphas) {
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

TEST_CASE("an error worked out by hand") {
    // x = -1, 0, 1 and y = 0, 0, 3 with alpha 1/2. Without the first: x - 1/2 = ∓1/2, y - 3/2 =
    // ∓3/2, slope (3/2) / (1/2 + 1/2), at -1: 3/2 - 9/4, residual 3/4. Without the second: slope
    // 3 / (2 + 1/2), at 0: 3/2, residual -3/2. Without the third: slope 0, residual 3.
    Matrix x(3, 1);
    x << -1, 0, 1;
    Matrix y(3, 1);
    y << 0, 0, 3;
    const double expected = (0.75 * 0.75 + 1.5 * 1.5 + 3.0 * 3.0) / 3;
    CHECK(errors_of(x, y, {0.5})[0] == Approx(expected).epsilon(1e-13));
    Matrix wide = Matrix::Zero(3, 4);  // the same kernel, from more features than rows
    wide.col(2) = x;
    CHECK(errors_of(wide, y, {0.5})[0] == Approx(expected).epsilon(1e-13));
}

TEST_CASE("errors are those of fits without each row") {
    for (const Eigen::Index features : {8, 40}) {
        const Matrix x = random_matrix(25, features, 1);
        const Matrix y = random_matrix(25, 3, 2).array() + 5;
        const Matrix kernel = ventral::test::centred_gram(x);
        const Numbers alphas = {100, 0.3, 5};
        const auto errors = errors_of(x, y, alphas);
        for (std::size_t a = 0; a < alphas.size(); ++a) {
            double squares = 0;
            for (Eigen::Index row = 0; row < 25; ++row) {
                auto rest = rows_from(0, 25);
                rest.erase(rest.begin() + row);
                const Matrix predicted =
                    ridge_predict({view(kernel), y, 40}, {rest, {row}}, alphas[a]);
                squares += (predicted - y.row(row)).squaredNorm();
            }
            CHECK(errors[a] == Approx(squares / (25 * 3)).epsilon(1e-11));
        }
    }
}

TEST_CASE("more targets than rows have the errors of their number") {
    // Twelve times the same five targets: the mean error is that of the five.
    for (const Eigen::Index features : {8, 70}) {
        const Matrix x = random_matrix(30, features, 1);
        const Matrix y = random_matrix(30, 5, 2);
        const Numbers alphas = {0.1, 1, 10};
        const auto few = errors_of(x, y, alphas);
        const auto many = errors_of(x, y.replicate(1, 12), alphas);
        for (std::size_t a = 0; a < alphas.size(); ++a)
            CHECK(many[a] == Approx(few[a]).epsilon(1e-11));
    }
}

TEST_CASE("the alpha that is chosen, and its gap, are those of all errors") {
    for (const double noise : {0.01, 1.0, 10.0, 300.0})
        for (const Eigen::Index features : {30, 200}) {
            check_choice_is_that_of_all_errors({60, features, 5, noise}, alpha_list());
            check_choice_is_that_of_all_errors({60, features, 100, noise}, alpha_list());
        }
}

TEST_CASE("alphas may be few, one, in any order, or listed twice") {
    const Spread problem(40, 60, 4, 10);
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

TEST_CASE("the number of workers changes no bit of an error") {
    const Spread problem(220, 300, 150, 10);
    const auto expected = errors_of(problem.x, problem.y, {1, 30, 1000}, 1);
    const auto choice = choice_of(problem.x, problem.y, alpha_list(), 1);
    for (const std::size_t threads : {2U, 5U}) {
        CHECK(same_bits(errors_of(problem.x, problem.y, {1, 30, 1000}, threads), expected));
        const auto again = choice_of(problem.x, problem.y, alpha_list(), threads);
        CHECK(again.alpha == choice.alpha);
        CHECK(again.gap == choice.gap);
    }
}

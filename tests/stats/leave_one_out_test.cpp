#include "stats/regression/leave_one_out.hpp"

#include <catch2/catch.hpp>

#include "stats/leave_one_out_problem.hpp"
#include "stats/regression/ridge.hpp"
#include "stats/same_bits.hpp"

using namespace ventral::stats;
using ventral::test::errors_of;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::SpreadFeatures;
using ventral::test::view;
using Numbers = std::vector<double>;

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
    ventral::core::Workers alone(1);
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
                    ridge_predict({view(kernel), y, 40}, {rest, {row}}, alphas[a], alone);
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

TEST_CASE("the number of workers changes no bit of an error") {
    const SpreadFeatures problem(220, 300, 150, 10);
    const auto expected = errors_of(problem.x, problem.y, {1, 30, 1000}, 1);
    for (const std::size_t threads : {2U, 5U})
        CHECK(same_bits(errors_of(problem.x, problem.y, {1, 30, 1000}, threads), expected));
}

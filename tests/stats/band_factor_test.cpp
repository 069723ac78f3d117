#include "stats/linear_algebra/band_factor.hpp"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "stats/linear_algebra/band_form.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::same_bits;
using ventral::test::whole_of_band;

namespace {

/// The main diagonal outweighs the others, so that the matrix is positive definite.
Matrix band(Eigen::Index width, Eigen::Index size) {
    Matrix band = random_matrix(width + 1, size, 1);
    band.row(0).array() += 2 * static_cast<double>(width) + 2;
    for (Eigen::Index c = 0; c < size; ++c)
        for (Eigen::Index d = size - c; d <= width; ++d) band(d, c) = 0;
    return band;
}

Matrix shifted(const Matrix& band, double shift) {
    Matrix whole = whole_of_band(band);
    whole.diagonal().array() += shift;
    return whole;
}

}  // namespace

TEST_CASE("a factor worked out by hand") {
    // [2 1; 1 3] + I = [1 0; 1/3 1] diag(3, 4 - 1/3) [1 1/3; 0 1].
    Matrix band(2, 2);
    band << 2, 3, 1, 0;
    const auto factor = factorise_band(band, 1);
    CHECK(factor.left(0, 1) == Approx(1.0 / 3).epsilon(1e-15));
    CHECK(factor.inverse_d(0) == Approx(1.0 / 3).epsilon(1e-15));
    CHECK(factor.inverse_d(1) == Approx(3.0 / 11).epsilon(1e-15));
}

TEST_CASE("rows are solved for, and their quadratic forms, with a band of any width") {
    for (const Eigen::Index width :
         {Eigen::Index{0}, Eigen::Index{1}, band_width - 1, band_width, band_width + 3})
        for (const Eigen::Index size : {1, 2, 9, 150})
            for (const Eigen::Index count : {1, 24, 37}) {
                const Matrix given = band(width, size);
                const Matrix rows = random_matrix(count, size, 2);
                const Matrix expected = shifted(given, 0.5).llt().solve(rows.transpose());
                const auto factor = factorise_band(given, 0.5);
                Matrix solved = rows;
                solve_rows(factor, solved);
                CHECK(largest_difference(solved, expected.transpose()) < 1e-13);
                const Vector forms = (rows * expected).diagonal();
                CHECK(largest_difference(quadratic_forms(factor, rows), forms) < 1e-12);
            }
}

TEST_CASE("a row has the same bits among others and alone") {
    const auto factor = factorise_band(band(band_width, 150), 0.25);
    const Matrix rows = random_matrix(2 * band_lanes + 5, 150, 2);
    Matrix together = rows;
    solve_rows(factor, together);
    const Vector forms = quadratic_forms(factor, rows);
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
        Matrix alone = rows.row(row);
        CHECK(quadratic_forms(factor, alone)(0) == forms(row));
        solve_rows(factor, alone);
        CHECK(same_bits(alone, Matrix(together.row(row))));
    }
}

TEST_CASE("a matrix that is not positive definite has a negative entry in D") {
    Matrix band(1, 2);
    band << 1, -3;
    const auto factor = factorise_band(band, 1);
    CHECK(factor.inverse_d(0) == 0.5);
    CHECK(factor.inverse_d(1) == -0.5);
}

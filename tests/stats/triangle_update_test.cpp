#include "stats/linear_algebra/triangle_update.hpp"

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::same_bits;

namespace {

Matrix absorb(const std::vector<Matrix>& blocks, std::size_t threads) {
    Workers workers(threads);
    Matrix upper = Matrix::Zero(blocks[0].cols(), blocks[0].cols());
    for (Matrix rows : blocks) absorb_rows(upper, rows, workers);
    return upper;
}

}  // namespace

TEST_CASE("one column becomes its length") {
    // √(3² + 4² + 12²) = 13
    Matrix rows(2, 1);
    rows << 3, 4;
    CHECK(std::abs(absorb({rows, Matrix::Constant(1, 1, 12)}, 1)(0, 0)) ==
          Approx(13).epsilon(1e-15));
}

TEST_CASE("the triangle has the products of all columns that were absorbed") {
    // 300 columns are three panels, and a row alone is a block too.
    const std::vector<Matrix> blocks = {random_matrix(350, 300, 1), random_matrix(1, 300, 2),
                                        random_matrix(40, 300, 3)};
    Matrix expected = Matrix::Zero(300, 300);
    for (const auto& rows : blocks) expected += rows.transpose() * rows;
    const Matrix upper = absorb(blocks, 1);
    CHECK(largest_difference(upper.transpose() * upper, expected) < 1e-11);
    CHECK(Matrix(upper.triangularView<Eigen::StrictlyLower>()) == Matrix::Zero(300, 300));
    CHECK(same_bits(absorb(blocks, 3), upper));
}

TEST_CASE("some rows of a taller matrix can be absorbed") {
    Matrix all = random_matrix(50, 7, 4);
    const Matrix expected = absorb({all.middleRows(10, 20)}, 1);
    Workers workers(1);
    Matrix upper = Matrix::Zero(7, 7);
    absorb_rows(upper, all.middleRows(10, 20), workers);
    CHECK(same_bits(upper, expected));
}

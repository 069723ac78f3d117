#include "stats/pls/pls_targets.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;

namespace {

/// Two orthogonal vectors over four rows, with sums of squares 4 and 2.
PlsScores two_scores() {
    PlsScores scores;
    scores.vectors = {(Vector(4) << 1, 1, -1, -1).finished(),
                      (Vector(4) << 1, -1, 0, 0).finished()};
    scores.squares = {4, 2};
    return scores;
}

}  // namespace

TEST_CASE("projections on the scores are taken out") {
    // (5, 1, 0, 2) has products 4 and 4 with them: it loses (1, 1, -1, -1) and 2 (1, -1, 0, 0).
    Vector v(4);
    v << 5, 1, 0, 2;
    two_scores().project_out(v);
    CHECK(v == (Vector(4) << 2, 2, 1, 3).finished());
}

TEST_CASE("targets are those of the train rows, minus their means over them") {
    Matrix y(3, 2);
    y << 1, 7, 100, 100, 3, 9;
    const FoldRows fold = {{2, 0}, {1}};
    const PlsTargets targets(y, fold);
    CHECK(targets.means() == (Vector(2) << 2, 8).finished());
    CHECK(targets.column(0) == (Vector(2) << 1, -1).finished());
    CHECK(targets.deflated(1, {}) == targets.column(1));
}

TEST_CASE("a column that is below 10 eps is zero, one with an entry at 10 eps is not") {
    CHECK(has_vanished(std::vector<double>{0, -9.9 * eps}));
    CHECK_FALSE(has_vanished(std::vector<double>{0, -10 * eps}));
    Matrix y(2, 3);
    y << 0.1, 9 * eps, -11 * eps, 0.1, -9 * eps, 11 * eps;
    const FoldRows fold = {{0, 1}, {}};
    PlsTargets targets(y, fold);
    CHECK(targets.vanished(0));
    CHECK(targets.vanished(1));
    CHECK_FALSE(targets.vanished(2));
    CHECK(targets.find_start({}).value().target == 2);
    targets.clear(2, 0);
    CHECK_FALSE(targets.find_start({}));
}

TEST_CASE("a constant column is zero, whatever its mean is rounded to") {
    Matrix y(3, 2);
    y << 98765.4321, 1, 98765.4321, 2, 98765.4321, 4;
    const FoldRows fold = {{0, 1, 2}, {}};
    PlsTargets targets(y, fold);
    REQUIRE(std::abs(y(0, 0) - targets.means()(0)) > pls_vanished);
    CHECK(targets.vanished(0));
    CHECK(targets.find_start({}).value().target == 1);
}

TEST_CASE("the start is the first column that the scores do not explain, and never goes back") {
    Matrix y(4, 3);
    y.col(0) << 1, 1, -1, -1;  // the first score
    y.col(1) << 1, -1, 0, 0;   // the second
    y.col(2) << 3, 1, -1, -3;
    const FoldRows fold = {rows_from(0, 4), {}};
    PlsTargets targets(y, fold);
    CHECK(targets.find_start({}).value().target == 0);
    const auto start = targets.find_start(two_scores()).value();
    CHECK(start.target == 2);
    CHECK(start.column == (Vector(4) << 0, 0, 1, -1).finished());
    CHECK(targets.find_start({}).value().target == 2);
}

TEST_CASE("loadings are products with the scores, zero where the column is") {
    Matrix y(4, 1100);  // two blocks
    y.setConstant(0.7);
    y.col(0) << 1, 1, -1, -1;
    y.col(1099) << 2, 0, -1, -1;
    const FoldRows fold = {rows_from(0, 4), {}};
    const PlsTargets targets(y, fold);
    const Matrix loadings = targets.loadings(two_scores());
    CHECK(loadings.row(0) == Eigen::RowVector2d(1, 0));
    CHECK(loadings.row(1099) == Eigen::RowVector2d(1, 1));
    CHECK(loadings.middleRows(1, 1098) == Matrix::Zero(1098, 2));
}

TEST_CASE("loadings of a small score are those of what the large ones leave of the target") {
    // The second score is orthogonal but for the rounding of the first, from which it was taken.
    PlsScores scores = two_scores();
    Vector& small = scores.vectors[1];
    small = 1e-6 * small + 1e-14 * scores.vectors[0];
    scores.squares[1] = small.squaredNorm();
    const Matrix y = 1e5 * scores.vectors[0] + 3 * small;
    const FoldRows fold = {rows_from(0, 4), {}};
    const PlsTargets targets(y, fold);
    const Matrix loadings = targets.loadings(scores);
    CHECK(loadings(0, 0) == Approx(1e5));
    CHECK(loadings(0, 1) == Approx(3).epsilon(1e-4));  // else 2000 more
}

TEST_CASE("reduced targets have the products of the rows in use") {
    const Matrix y = random_matrix(12, 40, 1);
    const std::vector<FoldRows> folds = {{rows_from(0, 6), {6}}, {rows_from(3, 10), {0, 11}}};
    Workers workers(1);
    const Matrix z = reduce_targets(y, folds, workers);
    CHECK(z.cols() == 10);
    Matrix used = y.topRows(10);
    used.rowwise() -= used.colwise().mean().eval();
    CHECK(largest_difference(z.topRows(10) * z.topRows(10).transpose(), used * used.transpose()) <
          1e-13);
    CHECK(z.bottomRows(2) == Matrix::Zero(2, 10));
    Workers more(3);
    CHECK(ventral::test::same_bits(reduce_targets(y, folds, more), z));
}

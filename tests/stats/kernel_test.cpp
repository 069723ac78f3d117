#include "stats/gram/kernel.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "stats/folds/alike_rows.hpp"
#include "stats/folds/folds.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;

namespace {

constexpr double rounding = 1e-13;  // of 30 products below 1

}  // namespace

TEST_CASE("features stand for the Gram where a product with it is no less work") {
    CHECK(has_narrow_form(10, 5));
    CHECK_FALSE(has_narrow_form(10, 6));
    CHECK(has_narrow_form(11, 5));
    CHECK_FALSE(has_narrow_form(11, 6));
    CHECK_FALSE(has_narrow_form(1, 1));
}

TEST_CASE("features give what the entries of their Gram give") {
    const Matrix x = random_matrix(300, 30, 1);
    const Matrix entries = plain_gram(x);
    const Kernel held(view(entries));
    const Kernel narrow = Kernel::of_features(view(x));
    CHECK(held.is_held());
    CHECK_FALSE(narrow.is_held());
    CHECK(held.rows() == 300);
    CHECK(narrow.rows() == 300);
    Workers workers(2);
    const std::vector<Eigen::Index> rows = {7, 299, 7, 0, 120};
    const auto columns = rows_from(20, 170);
    CHECK(largest_difference(held.diagonal(), narrow.diagonal()) < rounding);
    CHECK(largest_difference(held.part(rows, columns, workers),
                             narrow.part(rows, columns, workers)) < rounding);
    CHECK(largest_difference(held.whole(workers), narrow.whole(workers)) < rounding);
    const Matrix of_rows = random_matrix(5, 3, 2);
    CHECK(largest_difference(held.part_times(rows, of_rows), narrow.part_times(rows, of_rows)) <
          10 * rounding);
    CHECK(largest_difference(held.columns_times(rows, of_rows),
                             narrow.columns_times(rows, of_rows)) < 10 * rounding);
    const Vector v = random_matrix(300, 1, 3);
    CHECK(largest_difference(held.times(v), narrow.times(v)) < 100 * rounding);
    // What is held is copied.
    CHECK(held.part(rows, columns, workers)(1, 2) == entries(299, 22));
}

TEST_CASE("workers change no bit of a part") {
    const Matrix x = random_matrix(300, 30, 4);
    const Kernel narrow = Kernel::of_features(view(x));
    Workers one(1);
    Workers five(5);
    const auto rows = rows_from(0, 290);
    CHECK(same_bits(narrow.part(rows, rows, one), narrow.part(rows, rows, five)));
}

TEST_CASE("rows of few features are equal if their entries are") {
    Matrix x = random_matrix(8, 3, 5);
    x.row(6) = x.row(2);
    const Kernel narrow = Kernel::of_features(view(x));
    CHECK(are_equal_rows(narrow, 2, 6));
    x(6, 2) = std::nextafter(x(6, 2), 2);
    CHECK_FALSE(are_equal_rows(narrow, 2, 6));
    Matrix prediction = random_matrix(3, 2, 6);
    const Matrix before = prediction;
    unite_equal_rows(narrow, {2, 6, 1}, prediction);
    CHECK(prediction == before);
    x(6, 2) = x(2, 2);
    unite_equal_rows(narrow, {2, 6, 1}, prediction);
    CHECK(prediction.row(1) == before.row(0));
    CHECK(prediction.row(2) == before.row(2));
}

TEST_CASE("test rows of few features are alike if they differ in what no train row differs in") {
    Matrix x = random_matrix(12, 4, 7);
    const FoldRows fold{rows_from(0, 8), rows_from(8, 12)};
    x.col(1).head(8).setConstant(0.5);
    x.bottomRows(4).col(0).setConstant(1);
    x.bottomRows(4).rightCols(2).setConstant(-1);
    const Kernel narrow = Kernel::of_features(view(x));
    CHECK(are_alike(narrow, fold));
    x(9, 3) = 2;
    CHECK_FALSE(are_alike(narrow, fold));
}

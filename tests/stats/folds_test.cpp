#include "stats/folds/folds.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

Matrix table() {
    Matrix m(3, 2);
    m << 1, 10, 2, 20, 6, 60;
    return m;
}

}  // namespace

TEST_CASE("rows are marked, and marks give rows in ascending order") {
    const auto marks = marks_of({3, 0, 3}, 5);
    CHECK(marks == std::vector<char>{1, 0, 0, 1, 0});
    CHECK(marked_rows(marks) == std::vector<Eigen::Index>{0, 3});
    CHECK(unmarked_rows(marks) == std::vector<Eigen::Index>{1, 2, 4});
}

TEST_CASE("rows are in use if some fold trains on them") {
    const std::vector<FoldRows> folds = {{{4, 1}, {0}}, {{1, 2}, {3}}};
    CHECK(rows_in_use(5, folds) == std::vector<Eigen::Index>{1, 2, 4});
}

TEST_CASE("rows are taken in the order asked for, also twice") {
    Matrix expected(3, 2);
    expected << 6, 60, 1, 10, 6, 60;
    CHECK(rows_of(table(), {2, 0, 2}) == expected);
}

TEST_CASE("no rows are a table with as many columns") {
    const Matrix none = rows_of(table(), {});
    CHECK(none.rows() == 0);
    CHECK(none.cols() == 2);
}

TEST_CASE("rows can be taken of a part of a matrix") {
    Matrix expected(1, 1);
    expected << 60;
    CHECK(rows_of(table().block(1, 1, 2, 1), {1}) == expected);
}

TEST_CASE("means of columns are over the rows asked for") {
    const Vector means = column_means(table(), {0, 2});
    REQUIRE(means.size() == 2);
    CHECK(means(0) == 3.5);  // (1 + 6) / 2
    CHECK(means(1) == 35);
}

TEST_CASE("a row asked for twice counts twice in a mean") {
    CHECK(column_means(table(), {0, 2, 2, 0, 0, 0})(0) == 16.0 / 6);  // (4 · 1 + 2 · 6) / 6
}

TEST_CASE("rows are taken minus the means that are given") {
    Vector means(2);
    means << 1, 20;
    Matrix expected(2, 2);
    expected << 5, 40, 0, -10;
    CHECK(centred_rows(table(), {2, 0}, means) == expected);
}

TEST_CASE("rows of equal features get one prediction, whatever their last bits were") {
    // Rows 0, 2 and 3 are equal; row 4 is only as long.
    Matrix features(5, 2);
    features << 1, 0, 2, 0, 1, 0, 1, 0, 0, 1;
    const Matrix kernel = features * features.transpose();
    Matrix prediction(4, 1);
    prediction << 0.3, 0.7, 0.3000000000000001, 0.4;
    unite_equal_rows(MatrixView(kernel.data(), 5, 5), {2, 1, 3, 4}, prediction);
    CHECK(prediction(0) == 0.3);
    CHECK(prediction(1) == 0.7);
    CHECK(prediction(2) == 0.3);
    CHECK(prediction(3) == 0.4);
}

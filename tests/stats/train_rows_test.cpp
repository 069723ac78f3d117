#include "stats/folds/train_rows.hpp"

#include <catch2/catch.hpp>

using namespace ventral::stats;

namespace {

const Vector numbers = (Vector(5) << 1, 2, 4, 8, 16).finished();

Vector kept(const FoldRows& fold) {
    Vector v = numbers;
    TrainRows(fold, 5).keep(v);
    return v;
}

}  // namespace

TEST_CASE("a fold is told by the rows that are fewer, in ascending order") {
    const FoldRows few = {{4, 1}, {0}};
    CHECK(TrainRows(few, 5).are_few());
    CHECK(TrainRows(few, 5).fewer() == std::vector<Eigen::Index>{1, 4});
    const FoldRows many = {{4, 1, 0}, {2}};
    CHECK_FALSE(TrainRows(many, 5).are_few());
    CHECK(TrainRows(many, 5).fewer() == std::vector<Eigen::Index>{2, 3});
}

TEST_CASE("entries of the other rows become zero") {
    CHECK(kept({{4, 1}, {0}}) == (Vector(5) << 0, 2, 0, 0, 16).finished());
    CHECK(kept({{4, 1, 0}, {2}}) == (Vector(5) << 1, 2, 0, 0, 16).finished());
}

TEST_CASE("all entries lose the mean over the train rows") {
    const FoldRows fold = {{2, 3}, {0}};
    Vector v = numbers;  // the mean of 4 and 8 is 6
    TrainRows(fold, 5).centre(v);
    CHECK(v == (Vector(5) << -5, -4, -2, 2, 10).finished());
}

#include "stats/folds/alike_rows.hpp"

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;
using namespace ventral;

namespace {

/// Four train rows of six features, then three test rows that have two features more and nothing
/// else.
Matrix dead_in_train() {
    Matrix features = Matrix::Zero(7, 8);
    features.topLeftCorner(4, 6) = test::random_matrix(4, 6, 1);
    features.bottomRightCorner(3, 2) = test::random_matrix(3, 2, 2);
    return features;
}

Matrix gram_of(Matrix features) {
    features.rowwise() -= features.colwise().mean().eval();
    return features * features.transpose();
}

const FoldRows fold = {{0, 1, 2, 3}, {4, 5, 6}};

bool in_gram(const Matrix& features) {
    const Matrix gram = gram_of(features);
    return are_alike(MatrixView(gram.data(), gram.rows(), gram.cols()), fold);
}

}  // namespace

TEST_CASE("test rows that differ in features of their own are alike to the train rows") {
    const auto features = dead_in_train();
    CHECK(in_gram(features));
    CHECK(in_gram(1e-6 * features));
    // A feature that is constant in train need not be 0 there.
    Matrix shifted = features;
    shifted.col(7).array() += 3;
    CHECK(in_gram(shifted));
}

TEST_CASE("one entry of a feature that was trained on tells test rows apart") {
    auto features = dead_in_train();
    features(5, 2) = 1e-9;
    CHECK_FALSE(in_gram(features));
}

TEST_CASE("a train row beyond all others does not hide what the others tell") {
    Matrix features = dead_in_train();
    features(5, 2) = 1e-3;
    features.row(0) *= 1e12;
    features.row(0).tail(2).setZero();
    CHECK_FALSE(in_gram(features));
}

TEST_CASE("rows are no more alike for a Gram that is not there") {
    CHECK_FALSE(are_alike({}, fold));
}

TEST_CASE("train rows without any feature do not count as rows that the Gram has no digits of") {
    Matrix features = dead_in_train();
    features.topRows(3).setZero();
    CHECK(in_gram(features));
}

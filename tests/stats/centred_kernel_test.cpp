#include "stats/gram/centred_kernel.hpp"

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::formula_features;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::rows_from;
using ventral::test::same_bits;
using ventral::test::view;

TEST_CASE("the kernel's parts are products of features minus the train rows' means") {
    const Matrix x = formula_features(8, 4).array() + 3;
    const FoldRows fold = {{6, 0, 2, 3, 1}, {7, 0, 4}};
    Matrix train(5, 4);
    Matrix test(3, 4);
    for (Eigen::Index i = 0; i < 5; ++i) train.row(i) = x.row(fold.train[std::size_t(i)]);
    for (Eigen::Index i = 0; i < 3; ++i) test.row(i) = x.row(fold.test[std::size_t(i)]);
    const Eigen::RowVectorXd mean = train.colwise().mean();
    train.rowwise() -= mean;
    test.rowwise() -= mean;

    const Matrix kernel = plain_gram(x);
    Workers workers(2);
    const auto parts = centred_kernel(view(kernel), fold, workers);
    CHECK(largest_difference(parts.train, train * train.transpose()) < 1e-12);
    CHECK(largest_difference(parts.test, train * test.transpose()) < 1e-12);
}

TEST_CASE("the number of workers changes no bit") {
    const Matrix kernel = plain_gram(random_matrix(300, 40, 1));
    const FoldRows fold = {rows_from(0, 270), rows_from(270, 300)};
    Workers one(1);
    const auto expected = centred_kernel(view(kernel), fold, one);
    for (const std::size_t threads : {2U, 5U}) {
        Workers workers(threads);
        const auto parts = centred_kernel(view(kernel), fold, workers);
        CHECK(same_bits(parts.train, expected.train));
        CHECK(same_bits(parts.test, expected.test));
    }
}

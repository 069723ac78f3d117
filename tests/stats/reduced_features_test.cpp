#include "stats/gram/reduced_features.hpp"

#include <atomic>
#include <barrier>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/stored_features.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::RowMajorMatrix;
using ventral::test::same_bits;
using ventral::test::slabs_of;

namespace {

Matrix reduce(const RowMajorMatrix& x, std::size_t threads = 1) {
    Workers workers(threads);
    return reduce_features(
        {static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols()), slabs_of(x)},
        workers);
}

/// Largest difference of R Rᵀ to Xc Xcᵀ, relative to the largest entry.
double gram_error(const RowMajorMatrix& x) {
    const Matrix r = reduce(x);
    const Matrix centred = x.rowwise() - x.colwise().mean();
    const Matrix gram = centred * centred.transpose();
    return largest_difference(r * r.transpose(), gram) / gram.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("few features are reduced to themselves, centred") {
    // Column means 2 and 4.
    RowMajorMatrix x(3, 2);
    x << 1, 4, 2, 5, 3, 3;
    Matrix expected(3, 2);
    expected << -1, 0, 0, 1, 1, -1;
    CHECK(reduce(x) == expected);
}

TEST_CASE("many features are reduced to the triangle of their LQ factorisation") {
    // Row sums of two centred rows cancel: (1, 2, 2) and (-1, -2, -2), so L = (±3, 0; ∓3, 0).
    RowMajorMatrix x(2, 3);
    x << 1, 2, 2, -1, -2, -2;
    const Matrix r = reduce(x);
    REQUIRE(r.cols() == 2);
    CHECK(std::abs(r(0, 0)) == Approx(3).epsilon(1e-15));
    CHECK(r(1, 0) == Approx(-r(0, 0)).epsilon(1e-15));
    CHECK(r(0, 1) == 0);
    CHECK(std::abs(r(1, 1)) < 1e-15);
}

TEST_CASE("the reduced features have the products of the centred features") {
    // Shapes around the edges of panels (128 rows) and slabs (4096 features).
    CHECK(gram_error(random_matrix(20, 20, 1)) < 1e-12);
    CHECK(gram_error(random_matrix(20, 21, 2)) < 1e-12);
    CHECK(gram_error(random_matrix(127, 400, 3)) < 1e-12);
    CHECK(gram_error(random_matrix(129, 130, 4)) < 1e-12);
    CHECK(gram_error(random_matrix(300, 700, 5)) < 1e-12);
    CHECK(gram_error(random_matrix(140, 4097, 6)) < 1e-12);
    CHECK(gram_error(random_matrix(60, 9000, 7)) < 1e-12);
    CHECK(gram_error(random_matrix(4200, 30, 8)) < 1e-12);
}

TEST_CASE("a component far below the rounding of the Gram is kept") {
    // Two directions of sizes 1 and 1e-10 in 300 features: relative to the Gram the second is
    // 1e-20, which the Gram cannot hold. The smaller singular value of R is found by taking the
    // larger direction out.
    const Eigen::Index rows = 40;
    Matrix left(rows, 2);
    for (Eigen::Index i = 0; i < rows; ++i) {
        left(i, 0) = i % 2 == 0 ? 1 : -1;
        left(i, 1) = (i / 2) % 2 == 0 ? 1e-10 : -1e-10;
    }
    Matrix right = Matrix::Zero(2, 300);
    right.row(0).head(150).setConstant(1);
    right.row(1).tail(150).setConstant(1);
    const Matrix r = reduce(left * right);
    const Vector first = left.col(0) / left.col(0).norm();
    const Matrix rest = r - first * (first.transpose() * r);
    const double expected = (left.col(1) * right.row(1)).norm();
    CHECK(rest.norm() == Approx(expected).epsilon(1e-5));
}

TEST_CASE("the bits do not depend on the number of workers") {
    const RowMajorMatrix wide = random_matrix(400, 5000, 9);
    CHECK(same_bits(reduce(wide, 1), reduce(wide, 3)));
    const RowMajorMatrix tall = random_matrix(500, 400, 10);
    CHECK(same_bits(reduce(tall, 1), reduce(tall, 3)));
}

TEST_CASE("features that are not finite are refused") {
    RowMajorMatrix x = random_matrix(5, 3, 11);
    x(2, 1) = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(reduce(x), InputError);
    RowMajorMatrix wide = random_matrix(5, 9, 12);
    wide(4, 8) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(reduce(wide), InputError);
}

TEST_CASE("features are reduced when they are first asked for, and once") {
    std::atomic<int> made = 0;
    const ReducedFeatures lazy([&] {
        ++made;
        return Matrix::Constant(2, 2, 7.0);
    });
    CHECK(lazy.available());
    const ReducedFeatures copy = lazy;
    CHECK(made == 0);
    std::thread other([&] { CHECK(copy.matrix()(1, 1) == 7.0); });
    CHECK(lazy.matrix()(0, 0) == 7.0);
    other.join();
    CHECK(&lazy.matrix() == &copy.matrix());
    CHECK(made == 1);
}

TEST_CASE("ranks that reduce the features together get the bits of one") {
    // Three slabs and three panels, and few features, which are R themselves.
    for (const RowMajorMatrix x : {random_matrix(300, 8300, 14), random_matrix(300, 70, 15)}) {
        const Matrix expected = reduce(x);
        const std::size_t features = static_cast<std::size_t>(x.cols());
        for (const std::size_t ranks : {1U, 2U, 3U}) {
            Matrix reduced = Matrix::Zero(expected.rows(), expected.cols());
            std::vector<double> scratch(reducing_scratch(300, features));
            std::barrier<> barrier(static_cast<std::ptrdiff_t>(ranks));
            std::vector<std::thread> team;
            for (std::size_t rank = 0; rank < ranks; ++rank)
                team.emplace_back([&, rank] {
                    Workers workers(1 + rank);
                    const auto slabs = slabs_of(x);
                    reduce_features({300, features,
                                     [&](std::size_t first, std::size_t count) {
                                         return rank == 0 ? slabs(first, count) : FeatureMatrix{};
                                     }},
                                    {reduced.data(), static_cast<std::size_t>(reduced.size())},
                                    scratch, workers,
                                    {rank, ranks, [&barrier] { barrier.arrive_and_wait(); }});
                });
            for (auto& rank : team) rank.join();
            CHECK(same_bits(reduced, expected));
        }
    }
}

TEST_CASE("tasks of the workers that reduce the features may ask for them") {
    const RowMajorMatrix x = random_matrix(300, 700, 13);
    const Matrix expected = reduce(x);
    for (const std::size_t threads : {1U, 2U, 5U}) {
        Workers workers(threads);
        std::atomic<int> made = 0;
        std::atomic<int> equal = 0;
        const ReducedFeatures reduced(
            [&] {
                ++made;
                return reduce_features({300, 700, slabs_of(x)}, workers);
            },
            workers);
        workers.parallel_for(4, [&](std::size_t task) {
            if (task % 2 == 0) equal += same_bits(reduced.matrix(), expected);
            workers.parallel_for(5, [&](std::size_t) {
                workers.parallel_for(
                    2, [&](std::size_t) { equal += same_bits(reduced.matrix(), expected); });
            });
        });
        CHECK(made == 1);
        CHECK(equal == 2 + 4 * 5 * 2);
    }
}

TEST_CASE("features that could not be reduced are tried again by the next who asks") {
    for (const std::size_t threads : {1U, 3U}) {
        Workers workers(threads);
        std::atomic<int> tries = 0;
        const ReducedFeatures reduced(
            [&]() -> Matrix {
                workers.parallel_for(3, [](std::size_t) {});
                if (++tries == 1) throw InputError("not yet");
                return Matrix::Ones(1, 1);
            },
            workers);
        std::atomic<int> failures = 0;
        workers.parallel_for(6, [&](std::size_t) {
            try {
                if (reduced.matrix()(0, 0) != 1) throw std::logic_error("not made");
            } catch (const InputError&) {
                ++failures;
            }
        });
        CHECK(failures == 1);
        CHECK(tries == 2);
    }
}

TEST_CASE("features may not be at hand") { CHECK_FALSE(ReducedFeatures().available()); }

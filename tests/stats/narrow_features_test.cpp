#include "stats/gram/narrow_features.hpp"

#include <barrier>
#include <limits>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/gram_problem.hpp"
#include "stats/same_bits.hpp"
#include "stats/stored_features.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::random_matrix;
using ventral::test::RowMajorMatrix;
using ventral::test::same_bits;
using ventral::test::slabs_of;

namespace {

/// By a team of threads that stand for ranks, of which each has one worker more than the one
/// before.
class Narrow {
public:
    explicit Narrow(const RowMajorMatrix& x, std::size_t ranks = 1)
        : features_(x.rows(), x.cols()),
          scratch_(narrow_scratch(static_cast<std::size_t>(x.rows()),
                                  static_cast<std::size_t>(x.cols()))),
          memory_(narrow_memory({features_.data(), static_cast<std::size_t>(features_.size())},
                                scratch_, static_cast<std::size_t>(x.rows()))) {
        std::barrier<> barrier(static_cast<std::ptrdiff_t>(ranks));
        std::vector<std::thread> team;
        for (std::size_t rank = 1; rank < ranks; ++rank)
            team.emplace_back([&, rank] { fill(x, rank, ranks, barrier); });
        fill(x, 0, ranks, barrier);
        for (auto& rank : team) rank.join();
    }

    const Matrix& features() const { return features_; }
    GramSums sums() const { return memory_.sums(); }

private:
    void fill(const RowMajorMatrix& x, std::size_t rank, std::size_t ranks,
              std::barrier<>& barrier) const {
        Workers workers(1 + rank);
        const TeamShare share{rank, ranks, [&barrier] { barrier.arrive_and_wait(); }};
        centre_narrow(static_cast<std::size_t>(x.cols()), slabs_of(x), memory_, workers, share);
    }

    Matrix features_;
    std::vector<double> scratch_;
    NarrowMemory memory_;
};

bool same(const GramSums& a, const GramSums& b) {
    return same_bits(a.centred_times_mean, b.centred_times_mean) &&
           same_bits(a.row_sums, b.row_sums) && same_bits(a.row_extremes, b.row_extremes) &&
           a.mean_squared == b.mean_squared;
}

}  // namespace

TEST_CASE("few features are centred, and their sums are kept") {
    // Column means 2 and 4.
    RowMajorMatrix x(3, 2);
    x << 1, 4, 2, 5, 3, 3;
    const Narrow narrow(x);
    Matrix expected(3, 2);
    expected << -1, 0, 0, 1, 1, -1;
    CHECK(narrow.features() == expected);
    const auto sums = narrow.sums();
    CHECK(same_bits(sums.centred_times_mean, std::vector<double>{-2, 4, -2}));
    CHECK(same_bits(sums.row_sums, std::vector<double>{5, 7, 6}));
    CHECK(same_bits(sums.row_extremes, std::vector<double>{1, 4, 2, 5, 3, 3}));
    CHECK(sums.mean_squared == 20);
}

TEST_CASE("the sums are those of the Gram") {
    const Matrix x = random_matrix(300, 130, 1).array() + 3;
    const Narrow narrow(x);
    const ventral::test::GramProblem gram(x, Matrix::Zero(300, 1));
    const auto found = narrow.sums();
    const auto expected = gram.sums();
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(found.centred_times_mean[i] == Approx(expected.centred_times_mean[i]).epsilon(1e-12));
        CHECK(found.row_sums[i] == Approx(expected.row_sums[i]).epsilon(1e-14));
    }
    CHECK(same_bits(found.row_extremes, expected.row_extremes));
    CHECK(found.mean_squared == Approx(expected.mean_squared).epsilon(1e-14));
}

TEST_CASE("the features are what others reduce them to") {
    // Two slabs.
    for (const Eigen::Index features : {1, 127, 128, 4097}) {
        const RowMajorMatrix x = random_matrix(50, features, 2);
        const Narrow narrow(x);
        Matrix expected(50, features);
        for (Eigen::Index j = 0; j < features; ++j) {
            const RowMajorMatrix one = x.col(j);
            Workers workers(1);
            expected.col(j) = reduce_features({50, 1, slabs_of(one)}, workers);
        }
        CHECK(same_bits(narrow.features(), expected));
    }
}

TEST_CASE("ranks and workers change no bit of few features") {
    const RowMajorMatrix x = random_matrix(60, 4500, 3);
    const Narrow alone(x);
    for (const std::size_t ranks : {2U, 3U}) {
        const Narrow together(x, ranks);
        CHECK(same_bits(together.features(), alone.features()));
        CHECK(same(together.sums(), alone.sums()));
    }
}

TEST_CASE("few features that are not finite, or have no squares, are refused") {
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e200}) {
        RowMajorMatrix x = random_matrix(8, 3, 4);
        x(5, 2) = odd;
        CHECK_THROWS_WITH(Narrow(x), not_finite_text);
    }
}

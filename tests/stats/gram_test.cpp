#include "stats/gram/gram.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <thread>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::same_bits;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Setup {
    std::size_t ranks = 1;
    std::size_t workers = 1;
    std::size_t shift = 0;  ///< by how many doubles the memory is moved
    bool in_slabs = false;  ///< read anew for every slab instead of lying in memory
    std::size_t slabs_at_once = 1;
};

FeatureMatrix features_in(const RowMajor& x) {
    const auto features = static_cast<std::size_t>(x.cols());
    return {std::span<const double>(x.data(), static_cast<std::size_t>(x.size())),
            static_cast<std::size_t>(x.rows()), features, features};
}

/// Copies each slab into the oldest of a few buffers: only what was returned last stays valid, as
/// many slabs as are read at once.
ReadSlab slab_reader(const RowMajor& x, std::size_t slabs_at_once) {
    struct Buffers {
        explicit Buffers(std::size_t count) : slabs(count) {}
        std::vector<std::vector<double>> slabs;
        std::size_t next = 0;
    };
    return [&x, buffers = std::make_shared<Buffers>(std::max<std::size_t>(2, slabs_at_once))](
               std::size_t first, std::size_t count) {
        auto& slab = buffers->slabs[buffers->next++ % buffers->slabs.size()];
        const auto rows = static_cast<std::size_t>(x.rows());
        slab.assign(rows * count, 0.0);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < count; ++j)
                slab[i * count + j] =
                    x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(first + j));
        return FeatureMatrix{std::span<const double>(slab), rows, count, count};
    };
}

ReadSlab memory_reader(const FeatureMatrix& matrix) {
    return
        [matrix](std::size_t first, std::size_t count) { return columns_of(matrix, first, count); };
}

/// What one Gram left in memory.
struct Built {
    std::vector<double> block;
    std::size_t rows;
    std::size_t features;
    std::size_t shift;

    GramMemory memory() { return gram_memory(std::span(block).subspan(shift), rows, features); }
    /// Everything but the panels and their means.
    std::vector<double> results() {
        const auto parts = memory();
        std::vector<double> all(parts.kernel.begin(), parts.kernel.end());
        for (const auto& part :
             {parts.centred_times_mean, parts.row_sums, parts.row_extremes, parts.mean_squared})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }
    Matrix kernel() {
        const auto n = static_cast<Eigen::Index>(rows);
        return MatrixView(memory().kernel.data(), n, n);
    }
};

/// Threads play the ranks; rethrows what the lowest failing one threw, after all have ended.
Built build(std::size_t rows, std::size_t features,
            const std::function<ReadSlab()>& reader_of_a_rank, const Setup& setup) {
    Built built{std::vector<double>(gram_sizes(rows, features).total() + setup.shift), rows,
                features, setup.shift};
    std::barrier<> barrier(static_cast<std::ptrdiff_t>(setup.ranks));
    std::vector<std::exception_ptr> failures(setup.ranks);
    std::vector<std::thread> ranks;
    for (std::size_t rank = 0; rank < setup.ranks; ++rank)
        ranks.emplace_back([&, rank] {
            Workers workers(setup.workers);
            try {
                build_gram({rows, features, reader_of_a_rank()}, built.memory(), workers,
                           {rank, setup.ranks, [&barrier] { barrier.arrive_and_wait(); }},
                           setup.slabs_at_once);
            } catch (...) {
                failures[rank] = std::current_exception();
            }
        });
    for (auto& rank : ranks) rank.join();
    // Either all ranks fail or none does.
    for (const auto& failure : failures) CHECK((failure != nullptr) == (failures[0] != nullptr));
    if (failures[0]) std::rethrow_exception(failures[0]);
    return built;
}

Built build(const RowMajor& x, const Setup& setup = {}) {
    const auto in_memory = features_in(x);
    return build(
        in_memory.rows, in_memory.features,
        [&] {
            return setup.in_slabs ? slab_reader(x, setup.slabs_at_once) : memory_reader(in_memory);
        },
        setup);
}

/// The centred Gram in long double.
Matrix exact_gram(const RowMajor& x) {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Long values = x.cast<long double>();
    const Long centred = values.rowwise() - values.colwise().mean();
    return (centred * centred.transpose()).cast<double>();
}

/// Positive or zero. Every tenth column, and all of the second block, is positive in every row; of
/// the others the share that is zero runs from 60 to 100 per cent.
RowMajor rectified(Eigen::Index rows, Eigen::Index features) {
    RowMajor x = ventral::test::random_matrix(rows, features, 21).cwiseAbs();
    const RowMajor chance = ventral::test::random_matrix(rows, features, 22).cwiseAbs();
    Matrix sorted = chance;
    for (Eigen::Index j = 0; j < features; ++j) {
        if (j % 10 == 0 || j / 128 == 1) continue;
        std::sort(sorted.col(j).begin(), sorted.col(j).end());
        const double share = 0.6 + 0.4 * static_cast<double>(j % 11) / 10;
        const double least =
            sorted(static_cast<Eigen::Index>(share * static_cast<double>(rows - 1)), j);
        for (Eigen::Index i = 0; i < rows; ++i)
            if (chance(i, j) <= least) x(i, j) = 0;
    }
    return x;
}

}  // namespace

TEST_CASE("a Gram worked out by hand, with all that is kept beside it") {
    // Means 2 and 4; centred rows (-1, -2) and (1, 2).
    RowMajor x(2, 2);
    x << 1, 2, 3, 6;
    auto built = build(x);
    const auto parts = built.memory();
    Matrix kernel(2, 2);
    kernel << 5, -5, -5, 5;
    CHECK(built.kernel() == kernel);
    CHECK(std::vector<double>(parts.centred_times_mean.begin(), parts.centred_times_mean.end()) ==
          std::vector<double>{-10, 10});  // -1 · 2 - 2 · 4
    CHECK(std::vector<double>(parts.row_sums.begin(), parts.row_sums.end()) ==
          std::vector<double>{3, 9});
    CHECK(std::vector<double>(parts.row_extremes.begin(), parts.row_extremes.end()) ==
          std::vector<double>{1, 2, 3, 6});
    CHECK(parts.mean_squared[0] == 20);
}

TEST_CASE("the Gram is the product of the centred features") {
    // One tile and part of a second; two panels, the second narrow, and six; then tiles of the
    // larger edge.
    for (const auto rows : {2, 40, 150, 1030}) {
        const Eigen::Index features = rows > 1000 ? 5 : rows == 2 ? 300 : rows < 100 ? 1500 : 60;
        const RowMajor x = ventral::test::random_matrix(rows, features, 1).array() + 100.0;
        const Matrix expected = exact_gram(x);
        auto built = build(x);
        CHECK(ventral::test::largest_difference(built.kernel(), expected) <=
              1e-12 * expected.cwiseAbs().maxCoeff());
        CHECK(same_bits(built.kernel(), Matrix(built.kernel().transpose())));
    }
}

TEST_CASE("products of the features as they are can be had back") {
    const RowMajor x = ventral::test::random_matrix(7, 30, 2).array() + 1.0;
    auto built = build(x);
    const auto parts = built.memory();
    const Matrix kernel = built.kernel();
    for (Eigen::Index i = 0; i < 7; ++i)
        for (Eigen::Index j = 0; j < 7; ++j)
            CHECK(kernel(i, j) + parts.centred_times_mean[static_cast<std::size_t>(i)] +
                      parts.centred_times_mean[static_cast<std::size_t>(j)] +
                      parts.mean_squared[0] ==
                  Approx(x.row(i).dot(x.row(j))).margin(1e-12));
}

TEST_CASE("a Gram has the same bits however many ranks and workers build it, and where") {
    // 9000 features are three slabs, the last of them narrow, and 36 panels; 300 rows are four
    // tiles on the diagonal, the last of 12 rows, and six below it, and are added to two sums. Of
    // 1030 rows there is one sum.
    const auto [rows, features] = GENERATE(std::pair{300, 9000}, std::pair{1030, 1200});
    const RowMajor x = ventral::test::random_matrix(rows, features, 3).array() + 3.0;
    const auto expected = build(x).results();
    const std::vector<Setup> setups = {{1, 2, 0, false},   {1, 5, 1, false},   {2, 1, 1, true},
                                       {2, 2, 3, false},   {3, 1, 0, false},   {3, 2, 5, true},
                                       {1, 1, 0, true},    {2, 1, 0, true, 2}, {1, 3, 0, true, 2},
                                       {2, 2, 0, false, 3}};
    for (const auto& setup : setups) {
        INFO(setup.ranks << " ranks, " << setup.workers << " workers, moved by " << setup.shift
                         << ", in slabs: " << setup.in_slabs
                         << ", at once: " << setup.slabs_at_once);
        CHECK(same_bits(build(x, setup).results(), expected));
    }
}

TEST_CASE("the Gram of features that few rows have is the product of the centred features") {
    // Of nine columns in ten at most two rows in five are other than zero, of the others all; the
    // last panel has two blocks, or one, or is the only one.
    const auto [rows, features] =
        GENERATE(std::pair{300, 1500}, std::pair{300, 600}, std::pair{300, 100}, std::pair{96, 600},
                 std::pair{1030, 700}, std::pair{1030, 1100});
    const RowMajor x = rectified(rows, features);
    const Matrix expected = exact_gram(x);
    auto built = build(x);
    CHECK(ventral::test::largest_difference(built.kernel(), expected) <=
          1e-13 * expected.cwiseAbs().maxCoeff());
    CHECK(same_bits(built.kernel(), Matrix(built.kernel().transpose())));
    const auto parts = built.memory();
    const Eigen::RowVectorXd means = x.colwise().mean();
    CHECK(parts.mean_squared[0] == Approx(means.squaredNorm()));
    for (const Eigen::Index i : {0, 7, rows - 1}) {
        const auto row = static_cast<std::size_t>(i);
        CHECK(parts.centred_times_mean[row] == Approx((x.row(i) - means).dot(means)));
        CHECK(parts.row_sums[row] == Approx(x.row(i).sum()));
        CHECK(parts.row_extremes[2 * row + 1] == x.row(i).maxCoeff());
    }
    for (const auto& setup : {Setup{2, 2, 3, true}, Setup{1, 5, 1, false}, Setup{3, 1, 0, true, 2}})
        CHECK(same_bits(build(x, setup).results(), built.results()));
}

TEST_CASE("equal rows have equal products, also of features that few rows have") {
    RowMajor x = rectified(200, 500);
    x.row(3) = x.row(150);
    x.row(90).setZero();
    x.row(91).setZero();
    const Matrix kernel = build(x).kernel();
    for (const auto& [a, b] : {std::pair{3, 150}, std::pair{90, 91}}) {
        CHECK(same_bits(Matrix(kernel.col(a)), Matrix(kernel.col(b))));
        CHECK(kernel(a, a) == kernel(a, b));
    }
}

TEST_CASE("products of features that few rows have are as exact as those of all others") {
    // Nearly the same number in three rows of eight, so that products are far larger than what
    // centring leaves of them.
    const Eigen::Index rows = 120;
    const Eigen::Index features = 20000;
    RowMajor x = ventral::test::random_matrix(rows, features, 23);
    x = (x.array() > 0.25).select(1 + 1e-3 * x.array(), 0.0).matrix();
    const Matrix expected = exact_gram(x);
    const auto error = [&](const Matrix& kernel) {
        Matrix off_diagonal = kernel - expected;
        off_diagonal.diagonal().setZero();
        return off_diagonal.norm() / expected.diagonal().norm();
    };
    // The same features, none of them zero, and so centred before they are multiplied.
    const double centred_first = error(build(RowMajor(x.array() + 1.0)).kernel());
    CHECK(error(build(x).kernel()) <= 3 * centred_first);
}

TEST_CASE("more ranks than there is work for give the same Gram") {
    const RowMajor x = ventral::test::random_matrix(3, 4, 4);
    CHECK(same_bits(build(x, {5, 1, 0, false}).results(), build(x).results()));
}

TEST_CASE("features of single precision give the bits of the same numbers in double") {
    for (const auto& values :
         {RowMajor(ventral::test::random_matrix(20, 50, 5)), rectified(100, 50)}) {
        const std::vector<float> floats(values.data(), values.data() + values.size());
        const auto rows = static_cast<std::size_t>(values.rows());
        const FeatureMatrix matrix{std::span<const float>(floats), rows, 50, 50};
        const RowMajor x = values.cast<float>().cast<double>();
        CHECK(same_bits(build(rows, 50, [&] { return memory_reader(matrix); }, {}).results(),
                        build(x).results()));
    }
}

TEST_CASE("columns of a matrix are read where they lie") {
    RowMajor x(2, 4);
    x << 1, 2, 3, 4, 5, 6, 7, 8;
    const auto part = columns_of(features_in(x), 1, 2);
    CHECK(part.rows == 2);
    CHECK(part.features == 2);
    CHECK(part.stride == 4);
    const auto values = std::get<std::span<const double>>(part.values);
    CHECK(values[0] == 2);
    CHECK(values[part.stride + 1] == 7);
    RowMajor copy(2, 2);
    copy << 2, 3, 6, 7;
    CHECK(same_bits(build(2, 2, [&] { return memory_reader(part); }, {}).results(),
                    build(copy).results()));
}

TEST_CASE("constant features add nothing at all") {
    RowMajor x = RowMajor::Constant(9, 20, 0.1);
    CHECK(build(x).kernel() == Matrix::Zero(9, 9));
    // Nor do they change a bit of what the others give.
    const RowMajor moving = ventral::test::random_matrix(9, 4, 6);
    x.leftCols(4) = moving;
    RowMajor zeros = RowMajor::Zero(9, 20);
    zeros.leftCols(4) = moving;
    CHECK(same_bits(build(x).kernel(), build(zeros).kernel()));
}

TEST_CASE("a feature that is NaN or infinite is refused on every rank") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
        RowMajor x = ventral::test::random_matrix(6, 5000, 7);
        x(4, 4500) = bad;
        CHECK_THROWS_AS(build(x), InputError);
        CHECK_THROWS_AS(build(x, {2, 1, 0, true}), InputError);
    }
}

TEST_CASE("features too large to be squared are refused") {
    RowMajor x = ventral::test::random_matrix(3, 2, 8);
    x(1, 1) = 1e200;
    CHECK_THROWS_AS(build(x), InputError);
}

TEST_CASE("the parts of the memory fill it without overlap") {
    const std::size_t rows = GENERATE(5, 100);
    const std::size_t features = 9000;
    std::vector<double> block(gram_sizes(rows, features).total(), 0.0);
    const auto parts = gram_memory(block, rows, features);
    const auto fill = [](std::span<double> part) {
        for (double& value : part) value += 1;
    };
    for (const auto& part : {parts.kernel, parts.centred_times_mean, parts.row_sums,
                             parts.row_extremes, parts.mean_squared})
        fill(part);
    for (const auto& buffers : {parts.panels, parts.means, parts.row_parts, parts.sparse_rows})
        std::for_each_n(buffers, panels_in_work(rows), fill);
    fill(parts.second_lane);
    for (const auto& counts : {parts.started, parts.centred, parts.added})
        for (auto& count : counts) count += 1;
    // Scratch begins at a cache line of its own.
    CHECK(std::all_of(block.begin(), block.end(), [](double value) { return value <= 1; }));
    CHECK(std::count(block.begin(), block.end(), 0.0) < 8);
    CHECK((parts.panels[0].data() - block.data()) % 8 == 0);
    CHECK(parts.kernel.size() == rows * rows);
    CHECK(parts.panels[0].size() == (rows + 23) / 24 * 24 * panel_features);
    CHECK(parts.row_extremes.size() == 2 * rows);
    CHECK(gram_sizes(5, 30).panel == 24 * 30);
}

TEST_CASE("a packed triangle unpacks to the same symmetric matrix") {
    const Matrix kernel = ventral::test::centred_gram(ventral::test::random_matrix(13, 6, 9));
    const Matrix symmetric = (kernel + kernel.transpose()) / 2;
    const auto packed = pack_triangle({symmetric.data(), 169}, 13);
    CHECK(packed.size() == 13 * 14 / 2);
    Matrix unpacked = Matrix::Zero(13, 13);
    unpack_triangle(packed, 13, {unpacked.data(), 169});
    CHECK(same_bits(unpacked, symmetric));
}

TEST_CASE("a triangle is packed row by row") {
    const std::vector<double> kernel = {1, 2, 4, 2, 3, 5, 4, 5, 6};
    CHECK(pack_triangle(kernel, 3) == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("the edge of a tile and the number of sums follow from the number of rows alone") {
    CHECK(gram_tile(1) == 96);
    CHECK(gram_tile(1023) == 96);
    CHECK(gram_tile(1024) == 192);
    CHECK(gram_lanes(1023) == 2);
    CHECK(gram_lanes(1024) == 1);
}

#include "stats/gram/row_strips.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/gram/centred_features.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::same_bits;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Centred both ways: what a strip holds is what the plain form has, and zero beyond the last row.
template <typename T>
void check_strips(std::size_t rows, std::size_t features) {
    const RowMajor x = ventral::test::random_matrix(static_cast<Eigen::Index>(rows),
                                                    static_cast<Eigen::Index>(features), 11)
                           .array() +
                       5.0;
    const std::vector<T> values(x.data(), x.data() + x.size());
    const FeatureMatrix slab = {std::span<const T>(values), rows, features, features};

    std::vector<double> means(features);
    std::vector<double> centred(rows * features);
    std::vector<double> strip_means(features);
    std::vector<double> in_strips(strips_of(rows) * strip_rows * features, 7.0);
    std::vector<double> statistics(rows * statistics_a_row);
    const RowStrips strips = {in_strips, features, strip_means};
    for (std::size_t block = 0; block < centred_blocks(features); ++block) {
        centre_block(slab, block, CentredSlab{centred, features, means});
        const std::size_t first = block * centred_block;
        const auto columns = columns_of(slab, first, std::min(centred_block, features - first));
        centre_block(slab, block, layout_of_block(columns, SparsePlace::front), strips, statistics);
    }
    CHECK(same_bits(strip_means, means));
    std::vector<double> expected(in_strips.size(), 0.0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < features; ++j)
            expected[((i / strip_rows) * features + j) * strip_rows + i % strip_rows] =
                centred[i * features + j];
    CHECK(same_bits(in_strips, expected));
}

}  // namespace

TEST_CASE("strips hold what is centred row by row, and zeros beyond the last row") {
    for (const auto rows : {1, 3, 24, 50})
        for (const auto features : {1, 4, 7, 515}) {
            INFO(rows << " rows, " << features << " features");
            check_strips<float>(static_cast<std::size_t>(rows), static_cast<std::size_t>(features));
            check_strips<double>(static_cast<std::size_t>(rows),
                                 static_cast<std::size_t>(features));
        }
}

TEST_CASE("the statistics of a row are worked out by hand") {
    // Means 4 and 3; the first row is centred to (-3, -3), whose product with the means is -21.
    const std::vector<double> values = {1, 0, 3, 6, 8, 3};
    const FeatureMatrix slab = {std::span<const double>(values), 3, 2, 2};
    std::vector<double> means(2);
    std::vector<double> centred(2 * strip_rows);
    std::vector<double> statistics(3 * statistics_a_row);
    centre_block(slab, 0, layout_of_block(slab, SparsePlace::front), RowStrips{centred, 2, means},
                 statistics);
    // Σ centred · mean, Σ value, least, largest; then -1 · 4 + 3 · 3 and 4 · 4 + 0 · 3.
    CHECK(statistics == std::vector<double>{-21, 1, 0, 1, 5, 9, 3, 6, 16, 11, 3, 8});
}

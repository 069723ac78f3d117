#include "stats/gram/sparse_products.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "core/portable_random.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/strip_kernels.hpp"

using namespace ventral::stats;
using ventral::test::kernels_of_this_processor;

namespace {

constexpr std::size_t features = 40;
static_assert(features % 8 == 0);

/// Of the entries of all but every eighth feature three in four are zero.
std::vector<double> mostly_zeros(std::size_t rows) {
    ventral::core::PortableRandom random(5);
    std::vector<double> values(rows * features);
    for (std::size_t k = 0; k < values.size(); ++k)
        if (k % 8 == 0 || random.uniform(0, 4) < 1) values[k] = random.uniform(-1, 2);
    return values;
}

}  // namespace

TEST_CASE(
    "products of sparse rows are summed feature by feature and centred, by every instruction set") {
    // Rows that end within a strip and with one.
    for (const std::size_t rows : {100, 120}) {
        const auto values = mostly_zeros(rows);
        const FeatureMatrix block = {std::span<const double>(values), rows, features, features};
        const BlockLayout layout = layout_of_block(block, SparsePlace::front);
        REQUIRE(layout.sparse_features == features / 8 * 7);
        std::vector<double> in_strips(strips_of(rows) * strip_rows * features);
        std::vector<double> means(features);
        std::vector<double> statistics(rows * statistics_a_row);
        const RowStrips strips = {in_strips, features, means};
        centre_block(block, 0, layout, strips, statistics);
        std::vector<double> memory(SparseRows::size(rows, features));
        const SparseRows lists(memory, rows, features);
        lists.fill(block, layout, 0, means);
        for (const auto with : kernels_of_this_processor()) {
            std::vector<double> kernel(rows * rows, 0.5);
            add_sparse_products(lists, strips, {{0, strips_of(rows)}, {0, 3}, kernel, rows}, with);
            std::size_t different = 0;
            for (std::size_t j = 0; j < rows; ++j)
                for (std::size_t i = j; i < rows; ++i) {
                    double sum = 0, of_means = 0, of_i = 0, of_j = 0;
                    for (std::size_t k = 0; k < features; ++k) {
                        if (k % 8 == 0) continue;
                        const double x_i = values[i * features + k];
                        const double x_j = values[j * features + k];
                        sum = std::fma(x_i, x_j, sum);
                        of_i += x_i * means[k];
                        of_j += x_j * means[k];
                        of_means += means[k] * means[k];
                    }
                    const double centred = sum - (of_i + of_j) + of_means;
                    const double expected = j < 3 * strip_rows ? 0.5 + centred : 0.5;
                    different += kernel[j * rows + i] != expected ? 1 : 0;
                }
            CHECK(different == 0);
        }
    }
}

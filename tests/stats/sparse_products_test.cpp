#include "stats/sparse_products.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "core/portable_random.hpp"

using namespace ventral::stats;

namespace {

constexpr std::size_t features = 40;

/// Of all entries three in four are zero.
std::vector<double> mostly_zeros(std::size_t rows) {
    ventral::core::PortableRandom random(5);
    std::vector<double> values(rows * features);
    for (auto& value : values)
        if (random.uniform(0, 4) < 1) value = random.uniform(-1, 2);
    return values;
}

std::vector<StripKernel> kernels_of_this_processor() {
    if (__builtin_cpu_supports("avx512f")) return {StripKernel::avx2, StripKernel::avx512};
    return {StripKernel::avx2};
}

}  // namespace

TEST_CASE("products of sparse rows are summed feature by feature, by every instruction set") {
    // Rows that end within a strip and with one.
    for (const std::size_t rows : {100, 120}) {
        const auto values = mostly_zeros(rows);
        const FeatureMatrix block = {std::span<const double>(values), rows, features, features};
        const BlockLayout layout = layout_of_block(block, SparsePlace::front);
        REQUIRE(layout.sparse_features == features);
        std::vector<double> in_strips(strips_of(rows) * strip_rows * features);
        std::vector<double> means(features);
        std::vector<double> statistics(rows * row_statistics);
        std::vector<double> times_means(rows);
        const RowStrips strips = {in_strips, features, means};
        centre_block(block, 0, layout, strips, statistics);
        std::vector<double> memory(SparseRows::size(rows));
        const SparseRows lists(memory, rows);
        lists.fill(block, layout, 0, means, times_means);
        for (const auto with : kernels_of_this_processor()) {
            std::vector<double> kernel(rows * rows, 0.5);
            add_sparse_products(lists, strips, {0, strips_of(rows)}, {0, 3}, kernel, rows, with);
            std::size_t different = 0;
            for (std::size_t j = 0; j < rows; ++j)
                for (std::size_t i = j; i < rows; ++i) {
                    double sum = 0;
                    for (std::size_t k = 0; k < features; ++k)
                        sum = std::fma(values[i * features + k], values[j * features + k], sum);
                    const double expected = j < 3 * strip_rows ? 0.5 + sum : 0.5;
                    different += kernel[j * rows + i] != expected ? 1 : 0;
                }
            CHECK(different == 0);
        }
    }
}

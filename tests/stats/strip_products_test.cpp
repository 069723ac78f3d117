#include "stats/gram/strip_products.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"
#include "stats/strip_kernels.hpp"

using namespace ventral::stats;
using ventral::test::kernels_of_this_processor;
using ventral::test::same_bits;

namespace {

struct Panel {
    std::size_t rows;
    std::vector<double> values;
    std::vector<double> means;

    Panel(std::size_t row_count, std::size_t features)
        : rows(row_count), values(strips_of(rows) * strip_rows * features), means(features) {
        const auto random = ventral::test::random_matrix(static_cast<Eigen::Index>(rows),
                                                         static_cast<Eigen::Index>(features), 12);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < features; ++j)
                strips().at(i / strip_rows, j)[i % strip_rows] =
                    random(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
    RowStrips strips() { return {values, means.size(), means}; }
    double at(std::size_t row, std::size_t feature) {
        return strips().at(row / strip_rows, feature)[row % strip_rows];
    }
};

/// In the order that the header promises.
double product(Panel& panel, std::size_t i, std::size_t j, double before) {
    double total = before;
    for (std::size_t first = 0; first < panel.means.size(); first += 256) {
        double sum = 0;
        for (std::size_t k = first; k < std::min(first + 256, panel.means.size()); ++k)
            sum = std::fma(panel.at(i, k), panel.at(j, k), sum);
        total += sum;
    }
    return total;
}

}  // namespace

TEST_CASE("every entry is summed in the promised order, by every instruction set") {
    // Rows that end within a strip, within eight columns, and with them; sums of one and more.
    for (const std::size_t rows : {1, 8, 24, 29, 47, 75})
        for (const std::size_t features : {1, 255, 600}) {
            Panel panel(rows, features);
            for (const auto kernel : kernels_of_this_processor()) {
                INFO(rows << " rows, " << features << " features, kernel "
                          << static_cast<int>(kernel));
                std::vector<double> sums(rows * rows, 0.25);
                const StripRange all = {0, strips_of(rows)};
                add_strip_products(panel.strips(), {all, all, sums, rows}, kernel);
                std::vector<double> lower, expected;
                for (std::size_t j = 0; j < rows; ++j)
                    for (std::size_t i = j; i < rows; ++i) {
                        lower.push_back(sums[j * rows + i]);
                        expected.push_back(product(panel, i, j, 0.25));
                    }
                CHECK(same_bits(lower, expected));
            }
        }
}

TEST_CASE("only the strips that are asked for are written") {
    Panel panel(75, 10);
    for (const auto kernel : kernels_of_this_processor()) {
        std::vector<double> sums(75 * 75, 0.0);
        add_strip_products(panel.strips(), {{2, 3}, {1, 2}, sums, 75}, kernel);
        for (std::size_t j = 0; j < 75; ++j)
            for (std::size_t i = 0; i < 75; ++i) {
                const bool asked = i >= 48 && i < 72 && j >= 24 && j < 48;
                CHECK((sums[j * 75 + i] != 0) == asked);
            }
    }
}

TEST_CASE("a pinned instruction set is the one that is used") {
    setenv(isa_variable, "avx2", 1);
    CHECK(best_strip_kernel() == StripKernel::avx2);
    unsetenv(isa_variable);
    CHECK(best_strip_kernel() == kernels_of_this_processor().back());
}

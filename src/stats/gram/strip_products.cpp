#include "stats/gram/strip_products.hpp"

#include <algorithm>
#include <array>

#include "stats/gram/strip_factors.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::stats {
namespace {

/// Instructions, and how many columns they multiply at a time.
struct Multiplication {
    AddProducts* add;
    std::size_t columns;
};

Multiplication multiplication(StripKernel with) {
    if (with == StripKernel::avx512) return {add_with_avx512, columns_with_avx512};
    return {add_with_avx2, columns_with_avx2};
}

/// Where K ends within these entries: they are summed elsewhere, and added as far as K goes.
void add_some(AddProducts& add, const Factors& factors, std::size_t row_count,
              std::size_t column_count, const Corner& to) {
    std::array<double, strip_rows * columns_with_avx2> sums{};
    add(factors, {sums.data(), strip_rows});
    for (std::size_t j = 0; j < column_count; ++j)
        for (std::size_t i = 0; i < row_count; ++i)
            to.entries[j * to.order + i] += sums[j * strip_rows + i];
}

}  // namespace

StripKernel best_strip_kernel() {
    return may_use_avx512() ? StripKernel::avx512 : StripKernel::avx2;
}

void add_strip_products(const RowStrips& panel, const KernelTile& to, StripKernel with) {
    const Multiplication multiply = multiplication(with);
    const std::size_t features = panel.means.size();
    const auto add_to = [&](std::size_t strip, std::size_t column, std::size_t first) {
        const std::size_t row = strip * strip_rows;
        const std::size_t row_count = std::min(strip_rows, to.order - row);
        const std::size_t column_count = std::min(multiply.columns, to.order - column);
        const Factors factors = {panel.at(strip, first),
                                 panel.at(column / strip_rows, first) + column % strip_rows,
                                 std::min(summed_features, features - first),
                                 panel.at(std::min(strip + 1, to.rows.end - 1), first)};
        const Corner corner = {to.kernel.data() + column * to.order + row, to.order};
        if (row_count == strip_rows && column_count == multiply.columns)
            multiply.add(factors, corner);
        else
            add_some(*multiply.add, factors, row_count, column_count, corner);
    };
    const std::size_t column_end = std::min(to.columns.end * strip_rows, to.order);
    for (std::size_t first = 0; first < features; first += summed_features)
        for (std::size_t column = to.columns.first * strip_rows; column < column_end;
             column += multiply.columns)
            for (std::size_t strip = std::max(to.rows.first, column / strip_rows);
                 strip < to.rows.end; ++strip)
                add_to(strip, column, first);
}

}  // namespace ventral::stats

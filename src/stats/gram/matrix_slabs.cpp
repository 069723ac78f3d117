#include "stats/gram/matrix_slabs.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ventral::stats {
namespace {

constexpr std::size_t columns_at_once = 8;

/// Rows `row(0)`, `row(1)`, … of the columns [first, first + count), `rows` in number.
template <typename Row>
void turn(const MatrixView& matrix, std::size_t first, std::size_t count, std::size_t rows,
          const Row& row, std::span<double> out) {
    const auto stride = static_cast<std::size_t>(matrix.rows());
    // Some columns at a time, so that a row's part of them is written as a whole.
    for (std::size_t begin = 0; begin < count; begin += columns_at_once) {
        const std::size_t end = std::min(begin + columns_at_once, count);
        const double* from = matrix.data() + (first + begin) * stride;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = begin; j < end; ++j)
                out[i * count + j] = from[(j - begin) * stride + row(i)];
    }
}

/// Slabs of so many rows, which `fill(first, count, out)` writes into memory of their own.
template <typename Fill>
ReadSlab slabs_of(std::size_t rows, Fill fill) {
    auto buffer = std::make_shared<std::vector<double>>();
    return [rows, fill = std::move(fill), buffer](std::size_t first, std::size_t count) {
        buffer->resize(rows * count);
        fill(first, count, *buffer);
        return FeatureMatrix{std::span<const double>(*buffer), rows, count, count};
    };
}

}  // namespace

ReadSlab slabs_of_columns(const Matrix& matrix) {
    return slabs_of(
        static_cast<std::size_t>(matrix.rows()),
        [view = view_of(matrix)](std::size_t first, std::size_t count, std::span<double> out) {
            turn_columns(view, first, count, out);
        });
}

ReadSlab slabs_of_columns(const Matrix& matrix, std::vector<Eigen::Index> rows) {
    const std::size_t chosen = rows.size();
    return slabs_of(chosen, [view = view_of(matrix), rows = std::move(rows)](
                                std::size_t first, std::size_t count, std::span<double> out) {
        const auto row = [&](std::size_t i) { return static_cast<std::size_t>(rows[i]); };
        turn(view, first, count, rows.size(), row, out);
    });
}

void turn_columns(const MatrixView& matrix, std::size_t first, std::size_t count,
                  std::span<double> out) {
    const auto row = [](std::size_t i) { return i; };
    turn(matrix, first, count, static_cast<std::size_t>(matrix.rows()), row, out);
}

}  // namespace ventral::stats

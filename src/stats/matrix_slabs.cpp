#include "stats/matrix_slabs.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace ventral::stats {
namespace {

constexpr std::size_t columns_at_once = 8;

}  // namespace

ReadSlab slabs_of_columns(const Matrix& matrix) {
    const MatrixView view(matrix.data(), matrix.rows(), matrix.cols());
    const auto rows = static_cast<std::size_t>(matrix.rows());
    auto buffer = std::make_shared<std::vector<double>>();
    return [view, rows, buffer](std::size_t first, std::size_t count) {
        buffer->resize(rows * count);
        turn_columns(view, first, count, *buffer);
        return FeatureMatrix{std::span<const double>(*buffer), rows, count, count};
    };
}

void turn_columns(const MatrixView& matrix, std::size_t first, std::size_t count,
                  std::span<double> out) {
    const auto rows = static_cast<std::size_t>(matrix.rows());
    // Some columns at a time, so that a row's part of them is written as a whole.
    for (std::size_t begin = 0; begin < count; begin += columns_at_once) {
        const std::size_t end = std::min(begin + columns_at_once, count);
        const double* from = matrix.data() + (first + begin) * rows;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = begin; j < end; ++j)
                out[i * count + j] = from[(j - begin) * rows + i];
    }
}

}  // namespace ventral::stats

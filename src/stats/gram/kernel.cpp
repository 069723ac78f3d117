#include "stats/gram/kernel.hpp"

#include <numeric>
#include <stdexcept>

#include "stats/folds/folds.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"
#include "stats/linear_algebra/symmetric_product.hpp"

namespace ventral::stats {
namespace {

constexpr Eigen::Index columns_of_a_task = 128;
using RowNumbers = std::vector<Eigen::Index>;

RowNumbers part_of(const RowNumbers& all, const Block& block) {
    return {all.begin() + block.first, all.begin() + block.first + block.count};
}

}  // namespace

bool has_narrow_form(std::size_t rows, std::size_t features) { return features <= rows / 2; }

const MatrixView& Kernel::entries() const {
    if (!is_held_) throw std::logic_error("Kernel: its entries are not held");
    return matrix_;
}

const MatrixView& Kernel::features() const {
    if (is_held_) throw std::logic_error("Kernel: its features are not at hand");
    return matrix_;
}

Vector Kernel::diagonal() const {
    if (is_held_) return matrix_.diagonal();
    Vector squares = Vector::Zero(rows());
    for (Eigen::Index j = 0; j < matrix_.cols(); ++j)
        for (Eigen::Index i = 0; i < squares.size(); ++i)
            squares(i) += matrix_(i, j) * matrix_(i, j);
    return squares;
}

Matrix Kernel::part(const RowNumbers& rows, const RowNumbers& columns,
                    core::Workers& workers) const {
    Matrix part(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    const Matrix of_rows = is_held_ ? Matrix() : rows_of(matrix_, rows);
    for_blocks(part.cols(), columns_of_a_task, workers, [&](const Block& block) {
        if (!is_held_) {
            part.middleCols(block.first, block.count) =
                multiply(of_rows, rows_of(matrix_, part_of(columns, block)).transpose());
            return;
        }
        for (Eigen::Index j = block.first; j < block.first + block.count; ++j) {
            const double* from = matrix_.col(columns[static_cast<std::size_t>(j)]).data();
            double* to = part.col(j).data();
            for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
        }
    });
    return part;
}

Matrix Kernel::part_times(const RowNumbers& rows, const Eigen::Ref<const Matrix>& block) const {
    if (!is_held_) {
        const Matrix of_rows = rows_of(matrix_, rows);
        return multiply(of_rows, multiply_transposed(of_rows, block));
    }
    core::Workers alone(1);
    return multiply(part(rows, rows, alone), block);
}

Matrix Kernel::columns_times(const RowNumbers& columns,
                             const Eigen::Ref<const Matrix>& block) const {
    if (!is_held_) return multiply(matrix_, multiply_transposed(rows_of(matrix_, columns), block));
    Matrix chosen(rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j)
        chosen.col(static_cast<Eigen::Index>(j)) = matrix_.col(columns[j]);
    return multiply(chosen, block);
}

Vector Kernel::times(const Vector& v) const {
    if (is_held_) return symmetric_times(matrix_, v);
    return stats::times(matrix_, transposed_times(matrix_, v));
}

Matrix Kernel::whole(core::Workers& workers) const {
    RowNumbers all(static_cast<std::size_t>(rows()));
    std::iota(all.begin(), all.end(), Eigen::Index{0});
    return part(all, all, workers);
}

}  // namespace ventral::stats

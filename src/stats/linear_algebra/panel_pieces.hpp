#pragma once
/// @file
/// Vectors and panels of any size in the form that `panel_kernels.hpp` takes: pieces of rows, zeros
/// where a piece or a group of columns is not whole.

#include <algorithm>
#include <array>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"
#include "stats/linear_algebra/matrix.hpp"
#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::stats {

inline constexpr Eigen::Index panel_lanes = 8;

/// The number of rows that a panel of so many has.
inline Eigen::Index whole_lanes(Eigen::Index rows) { return core::round_up(rows, panel_lanes); }

/// The rows of a piece of some vectors.
class PanelVectors {
public:
    explicit PanelVectors(Eigen::Index vectors)
        : vectors_(vectors), entries_(static_cast<std::size_t>(vectors * panel_stride)) {}

    double* of(Eigen::Index f) { return entries_.data() + f * panel_stride; }

    void load(const Eigen::Ref<const Matrix>& from, Eigen::Index row, Eigen::Index rows) {
        for (Eigen::Index f = 0; f < vectors_; ++f) {
            std::copy_n(from.col(f).data() + row, rows, of(f));
            std::fill(of(f) + rows, of(f) + whole_lanes(rows), 0.0);
        }
    }

    void store(Eigen::Ref<Matrix> to, Eigen::Index row, Eigen::Index rows) {
        for (Eigen::Index f = 0; f < vectors_; ++f)
            std::copy_n(of(f), rows, to.col(f).data() + row);
    }

private:
    Eigen::Index vectors_;
    AlignedNumbers entries_;
};

/// Makes panels of the rows and columns of a matrix: where they lie if they are whole, or copied.
class PanelSource {
public:
    /// Keeps a reference.
    explicit PanelSource(const Eigen::Ref<const Matrix>& matrix) : matrix_(matrix) {}

    /// `rows` from `row` on of the columns [first, first + columns); good until the next call.
    Panel panel(Eigen::Index first, Eigen::Index columns, Eigen::Index row, Eigen::Index rows,
                const double* next) {
        const double* entries = matrix_.col(first).data() + row;
        if (columns == panel_columns && rows % panel_lanes == 0)
            return {entries, matrix_.outerStride(), rows, next};
        padded_.fill(0.0);
        for (Eigen::Index c = 0; c < columns; ++c)
            std::copy_n(entries + c * matrix_.outerStride(), rows,
                        padded_.data() + c * panel_stride);
        return {padded_.data(), panel_stride, whole_lanes(rows), nullptr};
    }

private:
    const Eigen::Ref<const Matrix> matrix_;
    std::array<double, panel_columns * panel_stride> padded_{};
};

/// Where the number of a column and a vector is.
inline std::size_t panel_place(Eigen::Index column, Eigen::Index vector) {
    return static_cast<std::size_t>(vector * panel_columns + column);
}

}  // namespace ventral::stats

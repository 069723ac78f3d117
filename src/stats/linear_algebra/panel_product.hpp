#pragma once
/// @file
/// Products of a tall matrix with few vectors, of which the matrix is read once for all: of some of
/// its rows or some of its columns, so that threads can share it. Bits follow from the shapes
/// alone: no vector matters to the others' bits, nor does the width of the processor's registers.

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/matrix.hpp"
#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::stats {

/// The rows `rows` of a · b, written to those of `out`.
void multiply_rows(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                   const Block& rows, Eigen::Ref<Matrix> out, VectorWidth width = vector_width());

/// The rows `columns` of aᵀ · b, which are products of these columns of `a`, written to those of
/// `out`.
void multiply_columns(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                      const Block& columns, Eigen::Ref<Matrix> out,
                      VectorWidth width = vector_width());

}  // namespace ventral::stats

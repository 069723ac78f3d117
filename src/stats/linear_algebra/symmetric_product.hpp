#pragma once
/// @file
/// Products of a symmetric matrix with vectors, of which the matrix's lower triangle is read once
/// for all of them. Bits follow from the shapes and the given columns alone: no vector matters to
/// the others' bits, nor does the width of the processor's registers.

#include "stats/linear_algebra/blocks.hpp"
#include "stats/linear_algebra/matrix.hpp"
#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::stats {

/// Adds the part that some columns of the lower triangle of a symmetric `a` have in a · b to `out`:
/// every element below the diagonal counts for its mirror image too. All parts together are a · b,
/// with half of `a` read once.
void add_symmetric_part(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                        const Block& columns, Matrix& out, VectorWidth width = vector_width());

/// a · x for a symmetric `a`, of which only the lower triangle is read.
Vector symmetric_times(const Eigen::Ref<const Matrix>& a, const Vector& x);

}  // namespace ventral::stats

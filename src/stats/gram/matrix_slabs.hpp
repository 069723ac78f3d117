#pragma once
/// @file
/// A matrix in memory as the readers of features see it: recordings take part in similarities as
/// features do.

#include <cstddef>
#include <span>
#include <vector>

#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Reads columns of `matrix`, which must outlive the reader; rows become contiguous. What was
/// returned is valid until the next call.
ReadSlab slabs_of_columns(const Matrix& matrix);

/// The same of the rows `rows` alone, in that order.
ReadSlab slabs_of_columns(const Matrix& matrix, std::vector<Eigen::Index> rows);

/// What the reader of all rows gives: the columns [first, first + count), row by row.
void turn_columns(const MatrixView& matrix, std::size_t first, std::size_t count,
                  std::span<double> out);

}  // namespace ventral::stats

#pragma once
/// @file
/// Recordings as a matrix: presentations × neuroids, with the order that the reference reports in.

#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::metrics {

/// `assembly` as dims presentation, neuroid: transposed if need be, a time bin of size 1 squeezed.
/// Throws `core::InputError` where other dimensions are left.
core::Assembly presentation_by_neuroid(core::Assembly assembly);

/// The values of an assembly as a table of presentations and neuroids, where they lie: entry (i, j)
/// is number i × row_stride + j × neuroid_stride.
struct PresentationView {
    const core::Values& values;
    std::size_t rows, neuroids;
    std::size_t row_stride, neuroid_stride;
};

/// The same table as `presentation_by_neuroid` gives, without a copy; `assembly` must outlive it.
/// Throws as that does.
PresentationView view_presentations(const core::Assembly& assembly);

/// The same table in float64.
stats::Matrix matrix_of(const core::Assembly& assembly);

/// Throws `core::InputError` that names a dimension without entries, if there is one.
void require_entries(const core::Assembly& assembly);

/// Throws `core::InputError` naming the first stimulus and neuroid if there is a NaN or infinity.
void check_finite(const core::Assembly& assembly, const std::string& role);

/// Positions of the neuroids in sorted order of `neuroid_id` (stable): the order of raw scores.
std::vector<std::size_t> neuroid_order(const core::Assembly& assembly);

/// The coordinates along `neuroid` in that order.
std::vector<core::Coordinate> neuroid_coordinates(const core::Assembly& assembly,
                                                  const std::vector<std::size_t>& order);

}  // namespace ventral::metrics

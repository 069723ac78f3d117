#pragma once
/// @file
/// What the results of all splits are like, and what becomes of them: a score.

#include <cstddef>
#include <span>
#include <vector>

#include "core/assembly.hpp"
#include "core/score.hpp"

namespace ventral::metrics {

/// Of the results of a metric or a ceiling: of each split, `columns()` numbers.
struct ResultShape {
    std::vector<std::size_t> neuroid_order;             ///< result j is column neuroid_order[j]
    std::vector<core::Coordinate> neuroid_coordinates;  ///< in the order of the results
    bool single_split = false;  ///< one given part to test on: no error, raw without `split`
    bool whole = false;         ///< a result is one number for all neuroids together
    std::size_t time_bins = 0;  ///< results are time bin × neuroid then; 0: no time
    std::vector<core::Coordinate> time_coordinates;

    std::size_t neuroids() const { return neuroid_order.size(); }
    /// Results of a split.
    std::size_t columns() const;
};

/// How many of so many neuroids, along the last dimension of `values`, are NaN anywhere.
std::size_t undefined_neuroids(std::span<const double> values, std::size_t neuroids);

/// Bump when a bit changes of what the results of time bins are made into: it is added to a
/// metric's version.
inline constexpr int in_time_version = 1;

/// Median over neuroids (NaN skipped), mean over splits, error = population std / √splits, from the
/// splits × columns table (row-major). With time, per time bin; value and error are the means of
/// those of the bins then.
core::Score aggregate(const ResultShape& shape, std::span<const double> table);

}  // namespace ventral::metrics

#pragma once
/// @file
/// Pearson correlation per neuroid, the Spearman–Brown correction, and the means and medians that
/// make a score of them. NaN means "no correlation" and is skipped where the reference skips it.

#include <span>
#include <vector>

#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// The correlation of two vectors as `scipy.stats.pearsonr` 1.10 computes it (NUMERICS section 5):
/// NaN if either is constant or holds a NaN; the product of the signs for two values; clipped to
/// [-1, 1]. Throws `std::invalid_argument` if the lengths differ or are below 2.
double pearson(std::span<const double> x, std::span<const double> y);

/// Whether all values are the first one; of none they are. NaN equals nothing.
bool is_constant(std::span<const double> values);

/// Column by column of two matrices of one shape.
std::vector<double> pearson_columns(const Matrix& x, const Matrix& y);

/// Spearman–Brown prophecy for the sum of two halves: 2 r / (1 + r); -inf at r = -1.
double spearman_brown(double r);

/// Median of the values that are not NaN, the mean of the middle two for an even number; NaN if
/// there is none. Equals `numpy.nanmedian`.
double nan_median(std::span<const double> values);
double nan_mean(std::span<const double> values);
/// Population standard deviation (ddof 0) of the values that are not NaN.
double nan_std(std::span<const double> values);

}  // namespace ventral::stats

#pragma once
/// @file
/// Features with mean 0 and variance 1, as scikit-learn's `StandardScaler` makes them.

#include <vector>

#include "stats/linear_algebra/row_table.hpp"

namespace ventral::stats {

/// One entry per feature, in float64 whatever the type of the features.
struct FeatureScales {
    std::vector<double> means;
    /// Population standard deviations; 1 for features that are constant but for rounding: variance
    /// at most n eps variance + (n eps mean)².
    std::vector<double> scales;
};

/// Rows are presentations, in the order of which sums are made; variances by the corrected
/// two-pass algorithm of T. Chan, G. Golub, R. LeVeque, The American Statistician 37 (1983).
template <typename Real>
FeatureScales feature_scales(const RowTable<Real>& features);

/// (x − mean) / scale; in float32 the difference and the quotient are each computed in float64 and
/// rounded.
template <typename Real>
void standardise(RowTable<Real>& features, const FeatureScales& scales);

}  // namespace ventral::stats

#pragma once
/// @file
/// Partial least squares by NIPALS on the features themselves, where `pls.hpp` would lose digits.
///
/// scikit-learn's `PLSRegression(scale=False)` (Wold 1984; NUMERICS 6.1): the same start, the same
/// stopping test on the weights and the same number of passes. With C = Xᵀ Y of the deflated X and
/// Y a pass is w ∝ C b, b ∝ Cᵀ w: it touches neither X nor Y, and nothing is squared. For more
/// targets than features or train rows see `pls_cross_products.hpp`: beside targets, predictions
/// and loadings no memory depends on their number.

#include <cstddef>

#include "stats/folds/folds.hpp"
#include "stats/pls/pls.hpp"

namespace ventral::stats {

/// Fits and predicts one fold. `reduced` stands for the features (see `reduced_features.hpp`) and
/// `features` is their number. `guard` bounds the error of this form: it grows with the range of
/// the components' sizes, not with its square. Throws as `pls_predict` does.
PlsFold pls_predict_features(const Matrix& reduced, const Matrix& targets, std::size_t features,
                             const FoldRows& fold, std::size_t n_components);

}  // namespace ventral::stats

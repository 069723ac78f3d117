#pragma once
/// @file
/// The intercept of a ridge, in the reference's order of sums (NUMERICS section 6.2): predictions
/// are X_test B plus ȳ − x̄ B. Where they vary little beside the mean of the recordings (features
/// that are tiny beside alpha, a large alpha that RidgeCV has chosen for what cannot be predicted)
/// these two roundings are what is left of r.

#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Xc x̄ (n_train): the products of the train rows, minus their mean x̄, with x̄, from the Gram and
/// its sums. A fit in the row space predicts x̄ B from them as it predicts a test row from its
/// products. Empty if the sums are not known.
Vector products_with_mean(const Kernel& kernel, const GramSums& sums, const FoldRows& fold);

/// The same from the features that the sums are of, or what stands for them
/// (`reduced_features.hpp`): `centred` has the train rows minus their `mean`. In the time of a
/// product with a vector.
Vector products_with_mean(const Matrix& centred, const Vector& mean, const GramSums& sums,
                          const FoldRows& fold);

/// `prediction`, of features minus x̄ → (prediction + x̄ B) + (ȳ − x̄ B). `mean_prediction` is x̄ B
/// (an entry per target), or empty: then prediction + ȳ.
void add_intercept(Matrix& prediction, const Vector& y_mean, const Vector& mean_prediction);

}  // namespace ventral::stats

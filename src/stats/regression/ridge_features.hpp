#pragma once
/// @file
/// Ridge regression with an intercept from the features themselves: scikit-learn's `Ridge(alpha)`
/// in float64 (Hoerl & Kennard 1970). For more rows than features, where the Gram is singular but
/// for alpha and loses what this form keeps.

#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"
#include "stats/regression/train_products.hpp"

namespace ventral::stats {

/// What is known of features beside what stands for them.
struct KnownOfFeatures {
    const GramSums* sums = nullptr;           ///< of their Gram (`intercept.hpp`)
    const TrainProducts* products = nullptr;  ///< that folds share
};

/// Predictions of the test rows (n_test × m). `reduced` stands for the features, see
/// `reduced_features.hpp`. Both sides are centred on the train rows; with at least as many train
/// rows as columns (XᵀX + alpha I) B = XᵀY, else (X Xᵀ + alpha I) D = Y, B = Xᵀ D, as scikit-learn
/// chooses; by Cholesky, or if that is singular after rounding without squares, by SVD. Throws
/// `core::InputError` if alpha is negative then.
Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha, const KnownOfFeatures& known = {});

}  // namespace ventral::stats

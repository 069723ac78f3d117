#pragma once
/// @file
/// Ridge regression with an intercept, from the Gram matrix: scikit-learn's `Ridge(alpha)` in
/// float64, by its dual form (Hoerl & Kennard 1970; Saunders et al. 1998), in which p plays no
/// part.
///
/// Exact but for rounding: the error is about eps times the condition number of K + alpha I.

#include "stats/folds.hpp"

namespace ventral::stats {

/// Predictions of the test rows (n_test × m) by the ridge fitted on the train rows: both sides
/// centred on the train rows, (K + alpha I) D = Y by Cholesky, in blocks of 1024 targets.
/// Throws `core::InputError` if K + alpha I is not positive definite.
Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha);

/// The same from the features themselves (see `reduced_features.hpp`): (XᵀX + alpha I) B = Xᵀ Y if
/// there are as many train rows as columns, else the dual form, as scikit-learn chooses. With more
/// rows than features the Gram is singular but for alpha, and loses what the primal form keeps.
Matrix ridge_predict_features(const Matrix& reduced, const Matrix& targets, const FoldRows& fold,
                              double alpha);

}  // namespace ventral::stats

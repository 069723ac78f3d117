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

}  // namespace ventral::stats

#pragma once
/// @file
/// Ridge regressions of several folds at once, from one factorisation of the Gram matrix of all
/// rows where that is cheaper than one for each fold.
///
/// With A = [K + alpha I, 1; 1ᵀ, 0] and P the part of A⁻¹ that belongs to the rows, the prediction
/// of a fold whose train rows R and test rows T are all rows is −(P_TT)⁻¹ P_TR y_R: leaving rows
/// out of a solved system (for one row the leave-one-out formula of Allen 1974 and Golub, Heath &
/// Wahba 1979). Exact but for rounding, like a fit of the fold alone: the error is about eps times
/// the condition number of K + alpha I.

#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds.hpp"

namespace ventral::stats {

/// True if one factorisation serves these folds: the train and test rows of each are disjoint and
/// together all `rows`, each once.
bool folds_complement(std::span<const FoldRows> folds, Eigen::Index rows);

/// True if that takes fewer operations than a fit of each fold, for `targets` columns.
bool one_factorisation_pays(std::span<const FoldRows> folds, Eigen::Index rows,
                            Eigen::Index targets);

/// Predictions of each fold's test rows (n_test × m), as `ridge_predict` makes them, from one
/// factorisation. Needs `folds_complement`. A fold's rounding depends on the folds it comes with
/// (rows that are test rows of none are eliminated first), nothing on a test row's own targets.
/// Throws `core::InputError` if K + alpha I is not positive definite.
std::vector<Matrix> ridge_predict_together(const Problem& problem, std::span<const FoldRows> folds,
                                           double alpha, core::Workers& workers);

}  // namespace ventral::stats

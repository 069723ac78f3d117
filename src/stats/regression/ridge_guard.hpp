#pragma once
/// @file
/// What a Gram's rounding may do to the predictions of a ridge.

#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// A fit of centred train rows to centred targets, with G(alpha) the inverse of K + alpha I.
struct SolvedRidge {
    const Matrix& of_test;     ///< G(alpha) times the kernel of the test rows, train × test
    const Matrix& of_targets;  ///< the dual weights
};

/// How far the rounding of K may move each target's predictions, on the root mean square of the
/// test rows (m). Entry (i, j) of the centred K is off by about eps √(s_i s_j), s_i being the
/// square of row i before it is centred on the train rows or after, whichever is larger. The
/// prediction of row t is cᵀ d, c being its products with the train rows and d the target's dual
/// weights, G(alpha) y; it is off by what c is, times d, and by what K of the train rows is,
/// between G(alpha) c and d.
Vector rounding_of_predictions(const Problem& problem, const FoldRows& fold,
                               const SolvedRidge& solved);

/// The largest of these errors beside the standard deviation of the target's predictions over the
/// test rows, which is what their correlation loses; at most 1, where no digit is left. Errors
/// below the rounding of the predictions' mean do not count: nothing is gained by taking them away.
/// Zero for a single test row.
double ridge_guard(const Vector& errors, const Matrix& prediction);

}  // namespace ventral::stats

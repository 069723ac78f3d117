#pragma once
/// @file
/// Ridge regression with an intercept, from the Gram matrix: scikit-learn's `Ridge(alpha)` in
/// float64, by its dual form (Hoerl & Kennard 1970; Saunders et al. 1998), in which p plays no
/// part.
///
/// Exact but for rounding: the error is about eps times the condition number of K + alpha I.

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// Predictions of the test rows (n_test × m) by the ridge fitted on the train rows: both sides
/// centred on the train rows, K_test (K + alpha I)⁻¹ Y by Cholesky, from whichever side has fewer
/// columns to solve for. Where alpha is so far below K that K + alpha I is singular after rounding,
/// by least squares, as the reference does where its Cholesky fails, which takes the smaller side
/// once more in memory. Throws `core::InputError` if alpha is negative then.
///
/// Predictions of features that are tiny beside alpha are a mean plus little: of r they leave the
/// digits that they have beside that mean, about eps · |mean| / |prediction − mean| (5e-7 for
/// features of size 1e-6 and alpha 1). With the Gram's sums these are the reference's digits
/// (`intercept.hpp`).
Matrix ridge_predict(const Problem& problem, const FoldRows& fold, double alpha,
                     core::Workers& workers);

struct GuardedRidge {
    Matrix prediction;  ///< the same bits
    double guard;       ///< `ridge_guard`; 1 where least squares were needed
};

/// The same with what the Gram's rounding may cost, for which both sides are solved.
GuardedRidge ridge_predict_guarded(const Problem& problem, const FoldRows& fold, double alpha,
                                   core::Workers& workers);

/// What is thrown where K + alpha I is not positive definite and there is no other way.
[[noreturn]] void throw_not_definite(double alpha);

}  // namespace ventral::stats

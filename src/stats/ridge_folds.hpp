#pragma once
/// @file
/// Ridge regressions of all folds of a score from one factorisation of the Gram matrix of all rows,
/// where that is cheaper than one for each fold.
///
/// With A = [K + alpha I, 1; 1ᵀ, 0] and P the part of A⁻¹ that belongs to the rows, the prediction
/// of a fold whose train rows and test rows T are all rows is y_T − (P_TT)⁻¹ (P Y)_T: leaving rows
/// out of a solved system (for one row the leave-one-out formula of Allen 1974 and Golub, Heath &
/// Wahba 1979). Exact but for rounding, like a fit of the fold alone: the error is about eps times
/// the condition number of K + alpha I.

#include <span>
#include <vector>

#include "core/make_once.hpp"
#include "core/workers.hpp"
#include "stats/folds.hpp"

namespace ventral::stats {

/// True if one factorisation serves these folds: the train and test rows of each are disjoint and
/// together all `rows`, each once.
bool folds_complement(std::span<const FoldRows> folds, Eigen::Index rows);

/// True if that takes fewer operations than a fit of each fold, for `targets` columns.
bool one_factorisation_pays(std::span<const FoldRows> folds, Eigen::Index rows,
                            Eigen::Index targets);

/// The solved system of all rows. Its bits follow from the problem and from all folds of the score,
/// whichever of them are asked for.
class RidgeSystem {
public:
    /// Needs `folds_complement(folds, …)`. `problem.targets` must outlive the system; its kernel is
    /// not looked at again. Throws `core::InputError` if K + alpha I is not positive definite.
    RidgeSystem(const Problem& problem, std::span<const FoldRows> folds, double alpha,
                core::Workers& workers);

    /// Predictions of the test rows (n_test × m) of some of the folds, as `ridge_predict` makes
    /// them; a target that is constant in a fold's train rows is predicted as exactly that.
    std::vector<Matrix> predict(std::span<const FoldRows> folds, core::Workers& workers) const;

private:
    Matrix predict(const FoldRows& fold) const;

    const Matrix& targets_;
    double alpha_;
    double share_;                     // P = M⁻¹ − share 1 1ᵀ, M being what was factorised
    std::vector<Eigen::Index> place_;  // of each row among those that some fold holds out, or -1
    Matrix inverse_;                   // of the factor's part of these rows: a lower triangle
    Matrix residual_;                  // (P Y) of these rows
};

/// Fits that serve several groups of folds of one score; whoever goes group by group keeps them.
struct SharedFits {
    core::MakeOnce<RidgeSystem> ridge;
};

}  // namespace ventral::stats

#pragma once
/// @file
/// Ridge regressions of all folds of a score from one factorisation of the Gram matrix of all rows,
/// where that is cheaper than one for each fold.
///
/// With A = [K + alpha I, 1; 1ᵀ, 0] and P the part of A⁻¹ that belongs to the rows, the prediction
/// of a fold whose train rows R and test rows T are all rows is −(P_TT)⁻¹ P_TR y_R: leaving rows
/// out of a solved system (for one row the leave-one-out formula of Allen 1974 and Golub, Heath &
/// Wahba 1979). Exact but for rounding: the error is about eps times the condition number of
/// K + alpha I, and eps alpha / K times the targets where K is small beside alpha, which is why
/// such systems are left alone. Where a test row dwarfs the train rows, K of all rows has digits
/// only of that row: such a fold is left to a fit of its own, in which the row has a part only by
/// the means that K was centred on (from about 1e5 times the others on, that costs digits too).

#include <optional>
#include <span>
#include <vector>

#include "core/make_once.hpp"
#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/linear_algebra/blocks.hpp"
#include "stats/regression/train_products.hpp"

namespace ventral::stats {

/// True if one factorisation serves these folds: the train and test rows of each are disjoint and
/// together all `rows`, each once.
bool folds_complement(std::span<const FoldRows> folds, Eigen::Index rows);

/// True if one factorisation serves these folds and takes fewer operations than a fit of each, for
/// `targets` columns.
bool one_factorisation_pays(std::span<const FoldRows> folds, Eigen::Index rows,
                            Eigen::Index targets);

/// The solved system of all rows. Its bits follow from the problem and from all folds of the score,
/// whichever of them are asked for.
class RidgeSystem {
public:
    /// Needs `folds_complement(folds, …)` and a kernel that is held. `problem.targets` must outlive
    /// the system; its kernel is not looked at again.
    RidgeSystem(const Problem& problem, std::span<const FoldRows> folds, double alpha,
                core::Workers& workers);

    /// False if the features vary so little beside alpha that a fit of each fold has more digits,
    /// or so much that K + alpha I is not positive definite after rounding.
    bool usable() const { return usable_; }

    /// Predictions of the test rows (n_test × m) of some of the folds, as `ridge_predict` makes
    /// them; a target that is constant in a fold's train rows is predicted as exactly that. A test
    /// row's own targets do not matter. Nothing for a fold of which the rounding of the shared
    /// inverse leaves too few digits, as where a test row dwarfs all train rows: a fit of that fold
    /// alone may have them. Needs `usable()`.
    std::vector<std::optional<Matrix>> predict(std::span<const FoldRows> folds,
                                               core::Workers& workers) const;

private:
    struct OfFold;

    void take_common(std::vector<Eigen::Index> rows, core::Workers& workers);
    std::optional<Matrix> predict(const FoldRows& fold, core::Workers& workers) const;
    void predict_targets(const OfFold& system, const Block& targets, Matrix& prediction) const;

    const Matrix& targets_;
    double alpha_;
    bool usable_ = false;
    double share_ = 0;                  // P = M⁻¹ − share 1 1ᵀ, M being what was factorised
    Vector spread_;                     // of each row about the mean of all: its squared distance
    std::vector<Eigen::Index> common_;  // rows that every fold trains on
    std::vector<Eigen::Index> held_out_;  // the others
    std::vector<Eigen::Index> place_;     // of each row among the held-out ones, or -1
    Vector offset_;                       // of the targets: any one gives the same prediction
    Vector common_sum_;                   // of the common rows' targets, minus the offset
    Matrix from_common_;                  // M⁻¹ of held-out × common rows, times these targets
    Matrix inverse_;                      // M⁻¹ of held-out × held-out rows
};

/// Fits that serve several groups of folds of one score; whoever goes group by group keeps them.
struct SharedFits {
    core::MakeOnce<RidgeSystem> ridge;
    core::MakeOnce<std::optional<TrainProducts>> train_products;  ///< if they pay
};

}  // namespace ventral::stats

#pragma once
/// @file
/// What a fold of PLS begins with: what the folds share over all rows, minus what the rows that it
/// leaves out have in it. Y are the shared targets minus their means on the train rows, and zero
/// elsewhere.

#include <vector>

#include "stats/folds/train_rows.hpp"
#include "stats/linear_algebra/packed_symmetric.hpp"
#include "stats/pls/pls_problem.hpp"
#include "stats/pls/pls_targets.hpp"

namespace ventral::stats {

struct PlsFoldStart {
    PlsTargets targets;
    TrainRows train;
    Vector means;                 ///< of the shared targets over the train rows
    std::vector<double> squares;  ///< of each target, their sum; only in the form of columns
    PackedSymmetric gram;         ///< Yᵀ K Y
    double kernel_sum = 0;        ///< of K over the train rows
    /// Targets of rows that the fold leaves out dwarf those that it trains on, so that nothing that
    /// is summed or centred over all rows has digits of these.
    bool is_dwarfed = false;
};

/// Keeps references to both.
PlsFoldStart start_of_fold(const PlsProblem& shared, const FoldRows& fold);

/// K Y, centred on the train rows and zero in the others.
Matrix kernel_times_fold_targets(const PlsProblem& shared, const TrainRows& train,
                                 const Vector& means);

}  // namespace ventral::stats

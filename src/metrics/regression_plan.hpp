#pragma once
/// @file
/// All that a regression score depends on beside the features: targets, folds, order of results.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"
#include "metrics/options.hpp"
#include "stats/folds.hpp"

namespace ventral::metrics {

/// Folds that a rank takes, and that are resumed, as a whole.
inline constexpr std::size_t fold_group = 5;

struct RegressionPlan {
    std::vector<std::string> stimulus_ids;  ///< one per row of `targets`, in the target's order
    stats::Matrix targets;                  ///< presentations × neuroids, in the target's order
    std::vector<stats::FoldRows> folds;
    std::vector<std::size_t> neuroid_order;             ///< result j is column neuroid_order[j]
    std::vector<core::Coordinate> neuroid_coordinates;  ///< in the order of the results
    bool single_split = false;  ///< a given train and test set: no error, raw without `split`

    std::size_t neuroids() const { return neuroid_order.size(); }
    std::size_t groups() const { return (folds.size() + fold_group - 1) / fold_group; }
    /// The folds of group `g`: [first, last).
    std::pair<std::size_t, std::size_t> group_range(std::size_t g) const;
};

/// For the cross-validated form (`CrossRegressedCorrelation`).
RegressionPlan plan_cross_validated(const core::Assembly& target,
                                    const CrossValidationOptions& options);

/// For given train and test sets (`TrainTestSplitCorrelation`): rows are those of `train`, then
/// those of `test`. Throws `core::InputError` if their neuroids differ.
RegressionPlan plan_train_test(const core::Assembly& train, const core::Assembly& test);

/// One fold's result: Pearson's r per neuroid in the order of the plan.
struct FoldResult {
    std::vector<double> r;
    core::Margins margins;
    std::string route;  ///< the form of the computation; see `regression_fit.hpp`
};

/// Median over neuroids (NaN skipped), mean over splits, error = population std / √splits, from the
/// folds × neuroids table (row-major).
core::Score aggregate(const RegressionPlan& plan, std::span<const double> table);

}  // namespace ventral::metrics

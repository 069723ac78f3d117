#pragma once
/// @file
/// All that a score depends on beside the features: targets, folds, order of results.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/assembly.hpp"
#include "core/ceil_divide.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"
#include "metrics/options.hpp"
#include "metrics/result_shape.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::metrics {

/// Folds that a rank takes, and that are resumed, as a whole.
inline constexpr std::size_t fold_group = 5;

/// Where the time bins of a plan lie in its targets, and what is fitted to them.
enum class TimeLayout {
    below,    ///< a presentation has a row in each bin; one fit to all rows
    beside,   ///< a neuroid has a column in each bin; a fit to each column
    averaged  ///< the same columns; one fit to the average over the bins predicts all of them
};

/// A response that is NaN.
struct MissingResponse {
    Eigen::Index row;
    Eigen::Index column;

    bool operator==(const MissingResponse&) const = default;
};

/// What the results will be like, with all that they are made of.
struct RegressionPlan : ResultShape {
    std::vector<std::string> stimulus_ids;  ///< one per row of `targets`, in the target's order
    stats::Matrix targets;                  ///< presentations × neuroids, in the target's order
    std::vector<stats::FoldRows> folds;
    /// In rows that no fold trains on: the column has no r in folds that test the row. The targets
    /// hold a stand-in.
    std::vector<MissingResponse> missing;
    TimeLayout time_layout = TimeLayout::below;
    stats::Matrix averages;  ///< presentations × neuroids, if that is what is fitted

    std::size_t groups() const { return core::ceil_divide(folds.size(), fold_group); }
    /// The folds of group `g`: [first, last).
    std::pair<std::size_t, std::size_t> group_range(std::size_t g) const;
    /// How many rows some fold tests on.
    std::size_t held_out() const;
};

/// For the cross-validated form (`CrossRegressedCorrelation`). Throws `core::InputError` if a
/// response is infinite, or NaN in a row that some split trains on.
RegressionPlan plan_cross_validated(const core::Assembly& target,
                                    const CrossValidationOptions& options);

/// Finds the missing responses of the targets as they were measured, and gives them stand-ins: the
/// neuroid's response in the first row that some fold trains on, since some forms add up all rows
/// before they leave out those of the test. False if a fold trains on one, or a response is
/// infinite.
bool set_missing_aside(RegressionPlan& plan);

/// For comparisons without a fit: of all presentations at once, or of the test part of each split
/// (`TestOnlyCrossValidation`: 90 % of them if no size is given), in the order of their ids.
RegressionPlan plan_comparison(const core::Assembly& target);
RegressionPlan plan_compared_parts(const core::Assembly& target,
                                   const CrossValidationOptions& options);

/// For given train and test sets (`TrainTestSplitCorrelation`): rows are those of `train`, then
/// those of `test`. A NaN in `test` leaves its neuroid without a result, as in the reference.
/// Throws `core::InputError` if their neuroids differ, or if `train` holds a NaN.
RegressionPlan plan_train_test(const core::Assembly& train, const core::Assembly& test);

/// Sorts the rows that each fold trains on by stimulus id, as the reference does before it fits:
/// for metrics whose choice between equals rounding makes. `target` is what the plan was made of,
/// of given sets the train set.
void sort_train_rows(const core::Assembly& target, RegressionPlan& plan);

/// Bump when a bit of what `scale_targets` gives changes: it is added to a metric's version.
inline constexpr int scaling_version = 1;

/// Every target column minus its mean, by its population standard deviation over all rows, as
/// `ScaledCrossRegressedCorrelation` does before it splits, missing responses left out. A column
/// that deviates by less than ten eps is only centred, as scikit-learn's `scale` has it. All in
/// double, also of float32 recordings, of which scikit-learn takes float32's eps: it leaves those
/// that deviate by less than 1e-6 as they are.
void scale_targets(RegressionPlan& plan);

/// One fold's result: a number per column of the plan, for regressions Pearson's r per neuroid.
struct FoldResult {
    std::vector<double> r;
    core::Margins margins;
    std::string route;                 ///< the form of the computation; see `regression_fit.hpp`
    std::optional<double> alpha = {};  ///< the one that was chosen
};

}  // namespace ventral::metrics

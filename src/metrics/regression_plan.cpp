#include "metrics/regression_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/errors.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/presentation_matrix.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

std::vector<Eigen::Index> range(std::size_t first, std::size_t count) {
    std::vector<Eigen::Index> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<Eigen::Index>(first));
    return rows;
}

/// The targets alone.
RegressionPlan plan_targets(const core::Assembly& table) {
    RegressionPlan plan;
    plan.targets = matrix_of(table);
    plan.stimulus_ids = core::texts(table, "stimulus_id");
    return plan;
}

std::vector<MissingResponse> missing_responses(const stats::Matrix& targets) {
    std::vector<MissingResponse> missing;
    for (Eigen::Index j = 0; j < targets.cols(); ++j)
        for (Eigen::Index i = 0; i < targets.rows(); ++i)
            if (std::isnan(targets(i, j))) missing.push_back({i, j});
    return missing;
}

/// Of each row: whether some fold trains on it.
std::vector<char> trained_on(const std::vector<stats::FoldRows>& folds, Eigen::Index rows) {
    std::vector<char> trained(static_cast<std::size_t>(rows), 0);
    for (const auto& fold : folds)
        for (const auto row : fold.train) trained[static_cast<std::size_t>(row)] = 1;
    return trained;
}

/// Sorts one side of each fold, rows of `table`, by stimulus id; equal ids stay as they are.
void sort_by_id(const core::Assembly& table, std::vector<Eigen::Index> stats::FoldRows::*side,
                RegressionPlan& plan) {
    const auto& ids = core::coordinate(table, "stimulus_id").values;
    std::vector<std::size_t> place(core::value_count(ids));
    std::size_t next = 0;
    for (const auto position : core::sorted_positions({&ids}, place.size()))
        place[position] = next++;
    for (auto& fold : plan.folds)
        std::sort((fold.*side).begin(), (fold.*side).end(), [&](Eigen::Index a, Eigen::Index b) {
            return place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)];
        });
}

/// The compared rows as the reference has them before it compares: the order of additions, and so
/// the last bit of a dissimilarity, depends on it.
void sort_compared(const core::Assembly& table, RegressionPlan& plan) {
    sort_by_id(table, &stats::FoldRows::test, plan);
}

/// The test set's columns in the order of the train set's.
std::vector<std::size_t> columns_in_order_of(const core::Assembly& train,
                                             const std::vector<std::size_t>& train_order,
                                             const core::Assembly& test) {
    const auto test_order = neuroid_order(test);
    const auto train_ids = core::texts(train, "neuroid_id");
    const auto test_ids = core::texts(test, "neuroid_id");
    if (train_order.size() != test_order.size())
        throw core::InputError("train and test recordings have different numbers of neuroids");
    std::vector<std::size_t> columns(train_order.size());
    for (std::size_t j = 0; j < train_order.size(); ++j) {
        if (train_ids[train_order[j]] != test_ids[test_order[j]])
            throw core::InputError("train and test recordings have different neuroids ('" +
                                   train_ids[train_order[j]] + "' and '" + test_ids[test_order[j]] +
                                   "')");
        columns[train_order[j]] = test_order[j];
    }
    return columns;
}

}  // namespace

std::pair<std::size_t, std::size_t> RegressionPlan::group_range(std::size_t g) const {
    return {g * fold_group, std::min((g + 1) * fold_group, folds.size())};
}

std::size_t RegressionPlan::held_out() const {
    std::set<Eigen::Index> rows;
    for (const auto& fold : folds) rows.insert(fold.test.begin(), fold.test.end());
    return rows.size();
}

bool set_missing_aside(RegressionPlan& plan) {
    plan.missing = missing_responses(plan.targets);
    const auto trained = trained_on(plan.folds, plan.targets.rows());
    const auto known = std::find(trained.begin(), trained.end(), 1) - trained.begin();
    for (const auto& [row, column] : plan.missing) {
        if (trained[static_cast<std::size_t>(row)] || known == plan.targets.rows()) return false;
        plan.targets(row, column) = plan.targets(known, column);
    }
    return plan.targets.allFinite();
}

RegressionPlan plan_cross_validated(const core::Assembly& target,
                                    const CrossValidationOptions& options) {
    RegressionPlan plan = plan_targets(target);
    plan.folds = cross_validation_splits(target, options);
    if (!set_missing_aside(plan)) check_finite(target, "recording");
    plan.neuroid_order = neuroid_order(target);
    plan.neuroid_coordinates = neuroid_coordinates(target, plan.neuroid_order);
    return plan;
}

RegressionPlan plan_comparison(const core::Assembly& target) {
    RegressionPlan plan = plan_targets(target);
    plan.whole = true;
    plan.single_split = true;
    plan.folds = {{{}, range(0, plan.stimulus_ids.size())}};
    sort_compared(target, plan);
    return plan;
}

RegressionPlan plan_compared_parts(const core::Assembly& target,
                                   const CrossValidationOptions& options) {
    RegressionPlan plan = plan_targets(target);
    plan.whole = true;
    plan.folds = cross_validation_splits(target, of_compared_parts(options));
    sort_compared(target, plan);
    return plan;
}

RegressionPlan plan_train_test(const core::Assembly& train, const core::Assembly& test) {
    require_entries(train);
    require_entries(test);
    const auto train_table = presentation_by_neuroid(train);
    auto test_table = presentation_by_neuroid(test);
    check_finite(train_table, "train recording");
    const auto train_order = neuroid_order(train_table);
    test_table = core::take(test_table, "neuroid",
                            columns_in_order_of(train_table, train_order, test_table));

    RegressionPlan plan;
    plan.single_split = true;
    plan.stimulus_ids = core::texts(train_table, "stimulus_id");
    const auto more_ids = core::texts(test_table, "stimulus_id");
    plan.folds = {
        {range(0, plan.stimulus_ids.size()), range(plan.stimulus_ids.size(), more_ids.size())}};
    if (more_ids.size() < 2)
        throw core::InputError("a correlation needs at least two test stimuli");
    plan.stimulus_ids.insert(plan.stimulus_ids.end(), more_ids.begin(), more_ids.end());
    const stats::Matrix upper = matrix_of(train_table);
    const stats::Matrix lower = matrix_of(test_table);
    plan.targets.resize(upper.rows() + lower.rows(), upper.cols());
    plan.targets << upper, lower;
    if (!set_missing_aside(plan)) check_finite(test_table, "test recording");
    plan.neuroid_order = train_order;
    plan.neuroid_coordinates = neuroid_coordinates(train_table, train_order);
    return plan;
}

void sort_train_rows(const core::Assembly& target, RegressionPlan& plan) {
    sort_by_id(target, &stats::FoldRows::train, plan);
}

void scale_targets(RegressionPlan& plan) {
    constexpr double least_deviation = 10 * std::numeric_limits<double>::epsilon();
    stats::Matrix measured = plan.targets;
    for (const auto& [row, column] : plan.missing)
        measured(row, column) = std::numeric_limits<double>::quiet_NaN();
    for (Eigen::Index j = 0; j < plan.targets.cols(); ++j) {
        const double mean = stats::nan_mean(stats::column(measured, j));
        const double deviation = stats::nan_std(stats::column(measured, j));
        for (Eigen::Index i = 0; i < plan.targets.rows(); ++i)
            plan.targets(i, j) =
                (plan.targets(i, j) - mean) / (deviation < least_deviation ? 1 : deviation);
    }
}

}  // namespace ventral::metrics

#include "metrics/regression_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/presentation_matrix.hpp"
#include "stats/correlation.hpp"

namespace ventral::metrics {
namespace {

std::vector<Eigen::Index> range(std::size_t first, std::size_t count) {
    std::vector<Eigen::Index> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<Eigen::Index>(first));
    return rows;
}

std::size_t undefined_columns(std::span<const double> table, std::size_t columns) {
    std::size_t undefined = 0;
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = j; i < table.size(); i += columns)
            if (std::isnan(table[i])) {
                ++undefined;
                break;
            }
    return undefined;
}

core::Assembly raw_table(const RegressionPlan& plan, std::span<const double> table) {
    core::Assembly raw;
    raw.values = std::vector<double>(table.begin(), table.end());
    if (!plan.single_split) {
        std::vector<std::int64_t> splits(plan.folds.size());
        std::iota(splits.begin(), splits.end(), 0);
        raw.dims.push_back({"split", splits.size()});
        raw.coordinates.push_back({"split", "split", splits});
    }
    raw.dims.push_back({"neuroid", plan.neuroids()});
    raw.coordinates.insert(raw.coordinates.end(), plan.neuroid_coordinates.begin(),
                           plan.neuroid_coordinates.end());
    return raw;
}

}  // namespace

std::pair<std::size_t, std::size_t> RegressionPlan::group_range(std::size_t g) const {
    return {g * fold_group, std::min((g + 1) * fold_group, folds.size())};
}

RegressionPlan plan_cross_validated(const core::Assembly& target,
                                    const CrossValidationOptions& options) {
    const auto table = presentation_by_neuroid(target);
    check_finite(table, "recording");
    RegressionPlan plan;
    plan.stimulus_ids = core::texts(table, "stimulus_id");
    plan.targets = matrix_of(table);
    plan.folds = cross_validation_splits(table, options);
    plan.neuroid_order = neuroid_order(table);
    plan.neuroid_coordinates = neuroid_coordinates(table, plan.neuroid_order);
    return plan;
}

RegressionPlan plan_train_test(const core::Assembly& train, const core::Assembly& test) {
    const auto train_table = presentation_by_neuroid(train);
    auto test_table = presentation_by_neuroid(test);
    check_finite(train_table, "train recording");
    check_finite(test_table, "test recording");
    const auto train_order = neuroid_order(train_table);
    const auto test_order = neuroid_order(test_table);
    const auto train_ids = core::texts(train_table, "neuroid_id");
    const auto test_ids = core::texts(test_table, "neuroid_id");
    if (train_order.size() != test_order.size())
        throw core::InputError("train and test recordings have different numbers of neuroids");
    // The test set's columns in the order of the train set's.
    std::vector<std::size_t> test_column(train_order.size());
    for (std::size_t j = 0; j < train_order.size(); ++j) {
        if (train_ids[train_order[j]] != test_ids[test_order[j]])
            throw core::InputError("train and test recordings have different neuroids ('" +
                                   train_ids[train_order[j]] + "' and '" + test_ids[test_order[j]] +
                                   "')");
        test_column[train_order[j]] = test_order[j];
    }
    test_table = core::take(test_table, "neuroid", test_column);

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
    plan.neuroid_order = train_order;
    plan.neuroid_coordinates = neuroid_coordinates(train_table, train_order);
    return plan;
}

core::Score aggregate(const RegressionPlan& plan, std::span<const double> table) {
    std::vector<double> medians;
    for (std::size_t fold = 0; fold < plan.folds.size(); ++fold)
        medians.push_back(
            stats::nan_median(table.subspan(fold * plan.neuroids(), plan.neuroids())));
    core::Score score;
    score.value = stats::nan_mean(medians);
    if (!plan.single_split)
        score.error = stats::nan_std(medians) / std::sqrt(static_cast<double>(medians.size()));
    score.raw = raw_table(plan, table);
    score.undefined_neuroids = undefined_columns(table, plan.neuroids());
    if (score.undefined_neuroids > 0)
        score.warnings.push_back(std::to_string(score.undefined_neuroids) + " of " +
                                 std::to_string(plan.neuroids()) +
                                 " neuroids have no correlation in some split (constant responses "
                                 "or predictions); they are skipped there");
    return score;
}

}  // namespace ventral::metrics

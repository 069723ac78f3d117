#include "metrics/plan_in_time.hpp"

#include "core/errors.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"

namespace ventral::metrics {
namespace {

void note_time_bins(const core::Assembly& target, RegressionPlan& plan) {
    plan.time_bins = core::dimension_size(target, "time_bin");
    for (const auto& labels : target.coordinates)
        if (labels.dim == "time_bin") plan.time_coordinates.push_back(labels);
}

/// Rows of presentations in every time bin, where bins follow one another.
std::vector<Eigen::Index> in_every_bin(const std::vector<Eigen::Index>& presentations,
                                       std::size_t count, std::size_t bins) {
    std::vector<Eigen::Index> rows;
    for (std::size_t bin = 0; bin < bins; ++bin)
        for (const auto presentation : presentations)
            rows.push_back(presentation + static_cast<Eigen::Index>(bin * count));
    return rows;
}

/// The folds of so many presentations, in every bin.
void repeat_folds(RegressionPlan& plan, std::size_t count) {
    for (auto& fold : plan.folds)
        fold = {in_every_bin(fold.train, count, plan.time_bins),
                in_every_bin(fold.test, count, plan.time_bins)};
}

/// The plan but for its recordings, which are most of it.
RegressionPlan without_recordings(const RegressionPlan& plan) {
    RegressionPlan rest;
    static_cast<ResultShape&>(rest) = plan;
    rest.stimulus_ids = plan.stimulus_ids;
    rest.folds = plan.folds;
    rest.time_layout = plan.time_layout;
    return rest;
}

}  // namespace

RegressionPlan plan_beside_in_time(const core::Assembly& target,
                                   const CrossValidationOptions& options) {
    if (core::dimension_size(target, "time_bin") == 0)
        throw core::InputError("the assembly '" + target.name + "' has no time bins");
    RegressionPlan plan = plan_cross_validated(at_time_bin(target, 0), options);
    note_time_bins(target, plan);
    plan.time_layout = TimeLayout::beside;
    const auto neuroids = static_cast<Eigen::Index>(plan.neuroids());
    const auto bins = static_cast<Eigen::Index>(plan.time_bins);
    plan.targets.resize(plan.targets.rows(), bins * neuroids);
    for (Eigen::Index bin = 0; bin < bins; ++bin)
        plan.targets.middleCols(bin * neuroids, neuroids) =
            matrix_of(at_time_bin(target, static_cast<std::size_t>(bin)));
    if (!set_missing_aside(plan))
        for (Eigen::Index bin = 0; bin < bins; ++bin)
            check_finite(at_time_bin(target, static_cast<std::size_t>(bin)), "recording");
    return plan;
}

RegressionPlan plan_spanning_time(const core::Assembly& target,
                                  const CrossValidationOptions& options) {
    return below_one_another(plan_beside_in_time(target, options));
}

void average_over_time(RegressionPlan& plan) {
    const auto neuroids = static_cast<Eigen::Index>(plan.neuroids());
    const auto bins = static_cast<Eigen::Index>(plan.time_bins);
    plan.time_layout = TimeLayout::averaged;
    plan.averages = plan.targets.leftCols(neuroids);
    for (Eigen::Index bin = 1; bin < bins; ++bin)
        plan.averages += plan.targets.middleCols(bin * neuroids, neuroids);
    plan.averages /= static_cast<double>(bins);
}

RegressionPlan at_time_bin(const RegressionPlan& beside, std::size_t bin) {
    RegressionPlan part = without_recordings(beside);
    const auto neuroids = static_cast<Eigen::Index>(beside.neuroids());
    const auto first = static_cast<Eigen::Index>(bin) * neuroids;
    part.targets = beside.targets.middleCols(first, neuroids);
    for (const auto& [row, column] : beside.missing)
        if (column / neuroids == static_cast<Eigen::Index>(bin))
            part.missing.push_back({row, column - first});
    part.time_bins = 1;
    for (auto& labels : part.time_coordinates) labels.values = core::take(labels.values, {bin});
    return part;
}

RegressionPlan below_one_another(const RegressionPlan& beside) {
    RegressionPlan plan = without_recordings(beside);
    const auto count = beside.targets.rows();
    const auto neuroids = static_cast<Eigen::Index>(beside.neuroids());
    const auto bins = static_cast<Eigen::Index>(beside.time_bins);
    plan.time_layout = TimeLayout::below;
    plan.targets.resize(bins * count, neuroids);
    plan.stimulus_ids.clear();
    for (Eigen::Index bin = 0; bin < bins; ++bin) {
        plan.targets.middleRows(bin * count, count) =
            beside.targets.middleCols(bin * neuroids, neuroids);
        plan.stimulus_ids.insert(plan.stimulus_ids.end(), beside.stimulus_ids.begin(),
                                 beside.stimulus_ids.end());
    }
    for (const auto& [row, column] : beside.missing)
        plan.missing.push_back({column / neuroids * count + row, column % neuroids});
    repeat_folds(plan, static_cast<std::size_t>(count));
    return plan;
}

std::vector<std::size_t> in_every_time_bin(const RegressionPlan& plan,
                                           const std::vector<std::size_t>& rows,
                                           std::size_t stride) {
    std::vector<std::size_t> all;
    for (std::size_t first = 0; all.size() < plan.stimulus_ids.size(); first += stride)
        for (const auto row : rows) all.push_back(first + row);
    return all;
}

}  // namespace ventral::metrics

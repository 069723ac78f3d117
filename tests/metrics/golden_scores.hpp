#pragma once
/// @file
/// Scores of a regression on the inputs of a golden, held against the reference's.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/pairing.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_fit.hpp"
#include "metrics/small_scores.hpp"
#include "stats/gram/gram.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::test {

/// Scores `source` (rows as the plan's, columns features) with all forms of the features at hand.
inline core::Score score_plan(const metrics::RegressionPlan& plan, const core::Assembly& source,
                              const metrics::Regression& regression,
                              const metrics::MetricOptions& options) {
    core::Workers workers(2);
    const stats::Matrix by_column = metrics::matrix_of(source);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x = by_column;
    const auto rows = static_cast<std::size_t>(x.rows());
    const auto features = static_cast<std::size_t>(x.cols());
    const stats::ReadSlab read = [&](std::size_t first, std::size_t count) {
        const stats::FeatureMatrix all{
            std::span<const double>(x.data(), static_cast<std::size_t>(x.size())), rows, features,
            features};
        return stats::columns_of(all, first, count);
    };
    std::vector<double> block(stats::gram_sizes(rows, features).total(), 0.0);
    const auto memory = stats::gram_memory(block, rows, features);
    stats::build_gram({rows, features, read}, memory, workers, {});
    const stats::Problem problem{stats::MatrixView(memory.kernel.data(), x.rows(), x.rows()),
                                 plan.targets, features, stats::ReducedFeatures([&] {
                                     return stats::reduce_features({rows, features, read}, workers);
                                 })};
    std::vector<double> table;
    for (std::size_t group = 0; group < plan.groups(); ++group) {
        const auto [first, last] = plan.group_range(group);
        const std::span<const stats::FoldRows> folds(plan.folds.data() + first, last - first);
        const auto fits = regression(problem, folds, options, workers);
        for (std::size_t f = 0; f < folds.size(); ++f) {
            const auto r = stats::pearson_columns(stats::rows_of(plan.targets, folds[f].test),
                                                  fits[f].prediction);
            for (const auto neuroid : plan.neuroid_order) table.push_back(r[neuroid]);
        }
    }
    return metrics::aggregate(plan, table);
}

/// `table` in the order of these stimuli.
inline core::Assembly matched(const core::Assembly& table, const std::vector<std::string>& ids) {
    return core::take(table, "presentation",
                      metrics::pair_rows(core::texts(table, "stimulus_id"), ids));
}

/// The largest difference that the golden allows: 30 times what rounding of its inputs does.
inline double golden_tolerance(const nlohmann::json& golden, const std::string& part) {
    double sensitivity = 0;
    for (const auto& [cause, parts] : golden.at("sensitivity").items())
        sensitivity = std::max(sensitivity, parts.at(part).at("max_abs").get<double>());
    return std::max(1e-9, 30 * sensitivity);
}

inline void check_golden_score(const core::Score& found, const nlohmann::json& golden) {
    check_golden(found, golden.at("expected"),
                 [&](const auto& part) { return golden_tolerance(golden, part); });
}

enum class Direction { forward, reverse };

/// Holds a metric against expected.SLUG.json of `folder`; says so if there are no goldens. Where
/// `direction` is reverse, source and target are swapped.
inline void check_regression_golden(const std::string& folder, const std::string& slug,
                                    const metrics::Regression& regression,
                                    const metrics::MetricOptions& options = {},
                                    Direction direction = Direction::forward) {
    INFO(folder << " " << slug);
    const auto path = golden_path(folder + "/expected." + slug + ".json");
    if (!path) return;
    const auto golden = nlohmann::json::parse(std::ifstream(*path));
    const auto part = [&](const std::string& name) {
        return metrics::presentation_by_neuroid(
            io::read_assembly(golden_path(folder + "/" + name + ".nc").value()));
    };
    std::string source = "source";
    std::string target = "target";
    if (direction == Direction::reverse) std::swap(source, target);
    if (slug.find("_split") == std::string::npos) {
        const auto plan = metrics::plan_cross_validated(part(target), options.cross_validation);
        check_golden_score(
            score_plan(plan, matched(part(source), plan.stimulus_ids), regression, options),
            golden);
        return;
    }
    const auto train = part(target + "_train");
    const auto test = part(target + "_test");
    const auto features =
        one_below_the_other(matched(part(source + "_train"), core::texts(train, "stimulus_id")),
                            matched(part(source + "_test"), core::texts(test, "stimulus_id")));
    check_golden_score(
        score_plan(metrics::plan_train_test(train, test), features, regression, options), golden);
}

}  // namespace ventral::test

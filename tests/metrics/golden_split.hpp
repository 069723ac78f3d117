#pragma once
/// @file
/// Goldens of given train and test sets: their problem, and what the reference made of it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/pairing.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_fit.hpp"
#include "stats/similarity/correlation.hpp"
#include "stats/small_problems.hpp"
#include "support/golden.hpp"

namespace ventral::test {

/// The problem of one golden folder, in float64: features in the order of the plan's rows.
struct GoldenSplit {
    metrics::RegressionPlan plan;
    stats::Matrix features;
    stats::Matrix kernel;

    /// The features themselves are at hand where they are fewer than the rows.
    stats::Problem problem() const {
        const auto p = static_cast<std::size_t>(features.cols());
        stats::Problem problem{view(kernel), plan.targets, p};
        if (features.cols() < features.rows())
            problem.reduced = stats::ReducedFeatures([this] { return features; });
        return problem;
    }
};

inline stats::Matrix features_for(const core::Assembly& source, const core::Assembly& target) {
    const auto table = metrics::presentation_by_neuroid(source);
    return metrics::matrix_of(core::take(
        table, "presentation",
        metrics::pair_rows(core::texts(table, "stimulus_id"), core::texts(target, "stimulus_id"))));
}

/// Of folder `name` of the public goldens, or nothing if they are not there.
inline std::optional<GoldenSplit> golden_split(const std::string& name) {
    const auto part = [&](const std::string& file) -> std::optional<core::Assembly> {
        const auto path = golden_path(name + "/" + file + ".nc");
        if (!path) return std::nullopt;
        return io::read_assembly(*path);
    };
    const auto target_train = part("target_train");
    if (!target_train) return std::nullopt;
    const auto target_test = part("target_test").value();
    const auto train = features_for(part("source_train").value(), *target_train);
    const auto test = features_for(part("source_test").value(), target_test);
    GoldenSplit split;
    split.plan = metrics::plan_train_test(*target_train, target_test);
    split.features.resize(train.rows() + test.rows(), train.cols());
    split.features << train, test;
    split.features.rowwise() -= split.features.colwise().mean().eval();
    split.kernel = plain_gram(split.features);
    return split;
}

/// Correlations of the one fold's fit, in the order of the golden's raw values.
inline std::vector<double> correlations(const GoldenSplit& split, const metrics::FoldFit& fit) {
    const auto r = stats::pearson_columns(
        stats::rows_of(split.plan.targets, split.plan.folds[0].test), fit.prediction);
    std::vector<double> ordered;
    for (const auto column : split.plan.neuroid_order) ordered.push_back(r[column]);
    return ordered;
}

/// Checks the golden `slug` of folder `name`: every raw value and their median.
inline void check_golden_split(const std::string& name, const std::string& slug,
                               const metrics::Regression& regression,
                               const metrics::MetricOptions& options) {
    INFO(name << " " << slug);
    constexpr double tolerance = 1e-9;  // the goldens' own
    const auto split = golden_split(name);
    const auto expected = golden(name + "/expected." + slug + ".json");
    if (!split || !expected) return;
    core::Workers workers(2);
    const auto fits = regression(split->problem(), split->plan.folds, options, workers);
    const auto r = correlations(*split, fits.at(0));
    const auto& values = expected->at("raw").at("values");
    REQUIRE(values.size() == r.size());
    for (std::size_t i = 0; i < r.size(); ++i) CHECK(is_golden(r[i], values[i], tolerance));
    CHECK(is_golden(stats::nan_median(r), expected->at("value"), tolerance));
    if (const nlohmann::json::json_pointer alpha("/raw/attrs/alpha"); expected->contains(alpha))
        CHECK(fits[0].alpha == expected->at(alpha).get<double>());
}

}  // namespace ventral::test

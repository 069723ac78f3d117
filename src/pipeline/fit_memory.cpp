#include "pipeline/fit_memory.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::pipeline {
namespace {

bool compares(const metrics::RegisteredMetric& metric) {
    return metric.form == metrics::MetricForm::comparison ||
           metric.form == metrics::MetricForm::compared_parts;
}

std::size_t features_of(const config::LayerSet& layers, const std::vector<LayerSize>& sizes) {
    std::size_t sum = 0;
    for (const auto& size : sizes)
        if (std::find(layers.begin(), layers.end(), size.name) != layers.end())
            sum += size.features;
    return sum;
}

/// In doubles, of one rank.
double fit_size(const metrics::RegressionPlan& plan, const metrics::RegisteredMetric& metric,
                std::size_t threads) {
    const auto n = static_cast<double>(plan.targets.rows());
    const auto m = static_cast<double>(plan.targets.cols());
    if (compares(metric)) return 4 * n * n;
    double rows = n;
    if (metric.name.find("pls") != std::string::npos && !plan.folds.empty())
        rows = n - static_cast<double>(plan.folds.front().train.size());
    double matrices = static_cast<double>(threads) * n * rows;
    if (metric.name.find("ridge") != std::string::npos)
        matrices = std::max(matrices, 2 * n * (n + 2 * m));
    return matrices + 2 * metrics::fold_group * n * (m + std::min(n, m));
}

}  // namespace

FitMemory fit_memory(const config::RunRecord& run, const PlannedUnit& unit, const UnitShape& shape,
                     RecordingsReader& recordings, std::size_t threads) {
    FitMemory most;
    for (const auto& score : unit.scores) {
        const auto& metric = metrics::find_metric(run.benchmarks[score.benchmark].metric.name);
        const auto features = static_cast<double>(features_of(score.layers, shape.layers));
        const auto stimuli = static_cast<double>(shape.stimulus_ids.size());
        double shared = 0;
        if (features < stimuli || metric.needs == metrics::FeaturesNeeded::reduced)
            shared = stimuli * std::min(stimuli, features);
        try {
            const auto& plan = recordings.prepared(score.benchmark).plan;
            const auto n = static_cast<double>(plan.targets.rows());
            if (plan.stimulus_ids != shape.stimulus_ids)
                shared += n * n + (shared > 0 ? n * std::min(stimuli, features) : 0);
            most.a_rank = std::max(most.a_rank, sizeof(double) * fit_size(plan, metric, threads));
        } catch (const core::InputError&) {
            // The run will record why.
        }
        most.shared = std::max(most.shared, sizeof(double) * shared);
    }
    return most;
}

}  // namespace ventral::pipeline

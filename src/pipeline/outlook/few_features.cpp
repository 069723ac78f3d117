#include "pipeline/outlook/few_features.hpp"

#include <algorithm>
#include <optional>

#include "metrics/registered_metrics.hpp"

namespace ventral::pipeline {
namespace {

/// Of one layer as the metric gets it, or the most that it can have; nothing if that is not known.
std::optional<std::size_t> features_of(const std::string& layer, const models::ModelRecord& model,
                                       const UnitEstimate* estimate) {
    std::optional<std::size_t> features;
    if (model.pca) features = model.pca->components;
    if (!estimate) return features;
    for (const auto& each : estimate->layers)
        if (each.name == layer) return std::min(each.features, features.value_or(each.features));
    return features;
}

std::optional<std::size_t> features_of(const config::LayerSet& layers,
                                       const models::ModelRecord& model,
                                       const UnitEstimate* estimate) {
    std::size_t sum = 0;
    for (const auto& layer : layers) {
        const auto features = features_of(layer, model, estimate);
        if (!features) return std::nullopt;
        sum += *features;
    }
    return sum;
}

/// Whether it looks for components among the model's features.
bool has_components(const std::string& name) {
    const auto& metric = metrics::find_metric(name);
    return metric.family == metrics::MetricFamily::pls && !metric.reversed;
}

}  // namespace

std::vector<FewFeatures> few_features(const config::RunRecord& run, const RunPlan& plan,
                                      const std::vector<UnitEstimate>& estimates) {
    std::vector<FewFeatures> found;
    for (std::size_t u = 0; u < plan.units.size(); ++u) {
        const auto& model = run.models[plan.units[u].model];
        const auto* estimate = u < estimates.size() ? &estimates[u] : nullptr;
        for (std::size_t s = 0; s < plan.units[u].scores.size(); ++s) {
            const auto& score = plan.units[u].scores[s];
            const auto& benchmark = run.benchmarks[score.benchmark];
            const auto features = features_of(score.layers, model, estimate);
            if (!has_components(benchmark.metric.name) || !features ||
                *features >= benchmark.metric.n_components)
                continue;
            found.push_back({u, s,
                             model.identifier + ", " + layer_text(score.layers) + " on " +
                                 benchmark.identifier + ": " + std::to_string(*features) +
                                 " features" + (model.pca ? " after [pca]" : "") +
                                 " are fewer than the " +
                                 std::to_string(benchmark.metric.n_components) +
                                 " components of PLS, the score will fail"});
        }
    }
    return found;
}

}  // namespace ventral::pipeline

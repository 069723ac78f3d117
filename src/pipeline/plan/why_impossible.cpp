#include "pipeline/plan/why_impossible.hpp"

#include <algorithm>

#include "core/counted.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "stats/gram/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

/// Why the model's PCA cannot be fitted to images that are there; empty if it can, or if there
/// is none.
std::string pca_problem(const models::ModelRecord& model, const InputFacts& facts) {
    if (!model.pca) return {};
    const auto rows = fitting_rows(model, facts);
    const auto has = [&] {
        if (has_stored_features(model))
            return model.pca->features.path + " has " + std::to_string(rows) + " presentations" +
                   (facts.of(model).in_time ? ", each time bin for itself" : "");
        const std::size_t bins = answer_bins(model);
        return "dataset '" + model.pca->dataset + "' has " + std::to_string(rows / bins) +
               " images" + (model.time ? " in " + core::counted(bins, "time bin") : "");
    };
    if (rows < model.pca->components)
        return model.origin +
               ": [pca] has n_components = " + std::to_string(model.pca->components) + ", but " +
               has() +
               " (a PCA has at most as many components as images) set fewer components or "
               "name more images";
    if (rows > stats::most_pca_images)
        return model.origin + ": [pca] cannot be fitted, " + has() + " (at most " +
               std::to_string(stats::most_pca_images) + " can be) name fewer";
    return {};
}

/// Why the model's stored features do not go with the dataset; empty if they do.
std::string other_stimuli(const ModelFacts& facts, const std::string& dataset) {
    const auto found = facts.other_stimuli.find(dataset);
    return found == facts.other_stimuli.end() ? "" : found->second;
}

/// Why the model cannot answer differently in each trial; empty if it can, or need not.
std::string variance_problem(const models::ModelRecord& model,
                             const benchmarks::BenchmarkRecord& benchmark) {
    if (!has_stored_features(model) || !benchmark.require_variance ||
        benchmark.number_of_trials == 1)
        return {};
    return model.origin + ": stored features are the same in every trial (benchmark '" +
           benchmark.identifier + "' requires variance) give a network";
}

/// Why the network has nothing to see; empty if it has, or if the model is none.
std::string stimuli_problem(const models::ModelRecord& model, const DatasetFacts& facts,
                            const benchmarks::DatasetRecord& dataset) {
    if (has_stored_features(model) || !facts.stimuli_key.empty()) return {};
    return dataset.origin + ": the dataset has no stimuli (network '" + model.identifier +
           "' needs images)";
}

}  // namespace

std::optional<core::Failure> why_impossible(const config::RunRecord& run, const InputFacts& facts,
                                            const models::ModelRecord& model,
                                            const benchmarks::BenchmarkRecord& benchmark) {
    const auto& model_facts = facts.of(model);
    const auto& dataset = facts.datasets.at(benchmark.dataset);
    if (model_facts.failure) return model_facts.failure;
    if (dataset.failure) return dataset.failure;
    if (model.pca && !has_stored_features(model))
        if (const auto& fitted = facts.datasets.at(model.pca->dataset); fitted.failure)
            return fitted.failure;
    auto reason = other_stimuli(model_facts, benchmark.dataset);
    if (reason.empty()) reason = pca_problem(model, facts);
    if (reason.empty()) reason = variance_problem(model, benchmark);
    if (reason.empty())
        reason = stimuli_problem(model, dataset, run.datasets.at(benchmark.dataset));
    if (reason.empty()) return std::nullopt;
    return core::Failure{core::FailureClass::deterministic, reason};
}

std::string absent_layer(const models::ModelRecord& model, const ModelFacts& facts,
                         const config::LayerSet& layers) {
    for (const auto& layer : layers)
        if (std::find(facts.layers.begin(), facts.layers.end(), layer) == facts.layers.end())
            return model.features.path + ": " + lacks_layer(layer, facts.layers);
    return {};
}

}  // namespace ventral::pipeline

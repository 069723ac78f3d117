#include "pipeline/plan/chosen_layers.hpp"

#include "core/add_once.hpp"

namespace ventral::pipeline {
namespace {

std::vector<config::LayerSet> single_layers(const std::vector<std::string>& layers) {
    std::vector<config::LayerSet> sets;
    for (const auto& layer : layers) sets.push_back({layer});
    return sets;
}

}  // namespace

std::vector<std::string> known_layers(const config::RunRecord& run, const InputFacts& facts,
                                      const models::ModelRecord& model) {
    auto layers = facts.of(model).layers;
    if (model.dataset.empty()) return layers;
    layers.clear();
    for (const auto& record : run.models) {
        if (record.identifier != model.identifier) continue;
        for (const auto& layer : facts.of(record).layers) core::add_once(layers, layer);
    }
    return layers;
}

config::LayerSet committed_layers(const models::ModelRecord& model,
                                  const std::vector<std::string>& known,
                                  const std::string& region) {
    const auto found = model.regions.find(region);
    if (found != model.regions.end()) return found->second;
    if (model.regions.empty() && has_stored_features(model)) return known;
    return {};
}

std::vector<config::LayerSet> layer_sets(const config::RunRecord& run,
                                         const models::ModelRecord& model,
                                         const std::vector<std::string>& known,
                                         const config::LayerSet& committed) {
    const bool stored = has_stored_features(model);
    switch (run.layers) {
        case config::LayerChoice::committed:
            if (committed.empty()) return {};
            return {committed};
        case config::LayerChoice::candidates:
            return single_layers(stored && model.candidate_layers.empty() ? known
                                                                          : model.candidate_layers);
        case config::LayerChoice::all:
            return single_layers(known);
        case config::LayerChoice::listed: {
            const auto listed = run.listed_layers.find(model.identifier);
            return listed == run.listed_layers.end() ? std::vector<config::LayerSet>{}
                                                     : listed->second;
        }
    }
    return {};
}

}  // namespace ventral::pipeline

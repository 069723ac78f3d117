#include "pipeline/fit/expected_pass.hpp"

#include <string>
#include <utility>
#include <vector>

#include "pipeline/extraction/open_layers.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/schedule/containment.hpp"

namespace ventral::pipeline {

std::optional<ExpectedPass> expected_pass(const PlannedUnit& unit, const UnitInputs& inputs,
                                          const TeamContext& context) {
    const auto& model = inputs.run.models[unit.model];
    if (has_stored_features(model) || model.pca || model.time) return std::nullopt;
    if (!inputs.network_trials.has_passed(unit.model)) return std::nullopt;
    for (const auto& score : unit.scores)
        if (!inputs.recordings.is_prepared(score.benchmark)) return std::nullopt;
    Checkpoints checkpoints(context.out, context.fingerprint);
    std::vector<std::string> layers;
    for (const auto& layer :
         open_layers(inputs.run, unit, inputs.finished, inputs.recordings, InTime::still)) {
        const auto known = checkpoints.of(unit, layer.name);
        if (known.gram && !layer.columns) continue;
        if (known.activations) return std::nullopt;
        layers.push_back(layer.name);
    }
    if (layers.empty()) return std::nullopt;
    return ExpectedPass{
        unit.id, unit_name(inputs.run, unit),
        ExtractRequest{model, inputs.recordings.stimuli(unit.dataset), std::move(layers), unit.key,
                       "", inputs.run.datasets.at(unit.dataset).access, unit.trials}};
}

}  // namespace ventral::pipeline

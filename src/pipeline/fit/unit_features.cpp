#include "pipeline/fit/unit_features.hpp"

#include <algorithm>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "io/input_file.hpp"
#include "pipeline/extraction/discarded_files.hpp"
#include "pipeline/fit/gram_checkpoint.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/stored_features.hpp"

namespace ventral::pipeline {
namespace {

/// What the rows of features are called, one time bin after the other.
std::vector<std::string> in_time_bins(const std::vector<std::string>& stimulus_ids,
                                      const core::TimeBins& bins) {
    std::vector<std::string> names;
    for (const auto& bin : bins)
        for (const auto& id : stimulus_ids) names.push_back(id + ", " + core::name_of(bin));
    return names;
}

}  // namespace

UnitFeatures::UnitFeatures(const PlannedUnit& unit, const UnitInputs& inputs, TeamContext& context)
    : unit_(unit),
      inputs_(inputs),
      context_(context),
      model_(inputs.run.models[unit.model]),
      activations_(unit, inputs, context, in_use_) {}

bool UnitFeatures::is_stored() const { return has_stored_features(model_); }

std::string UnitFeatures::gram_key(const std::string& layer, const core::TimeBins& bins) const {
    return pipeline::gram_key(unit_.key, unit_.projection, layer, context_.fingerprint, bins);
}

InTime UnitFeatures::in_time() {
    if (!is_stored()) return model_.time ? InTime::changing : InTime::still;
    open_stored();
    return comm::from_first_rank<bool>(context_.team,
                                       [&] { return change_in_time(stored_->labels()); })
               ? InTime::changing
               : InTime::still;
}

const std::vector<std::string>& UnitFeatures::stimulus_ids() {
    if (!stimulus_ids_.empty()) return stimulus_ids_;
    if (is_stored()) {
        open_stored();
        stimulus_ids_ = comm::from_first_rank<std::vector<std::string>>(
            context_.team, [&] { return core::texts(stored_->labels(), "stimulus_id"); });
    } else {
        comm::run_collectively(context_.team, [&] {
            stimulus_ids_ = inputs_.recordings.stimuli(unit_.dataset).stimulus_ids;
        });
    }
    return stimulus_ids_;
}

metrics::SplitLabels UnitFeatures::split_labels(const benchmarks::BenchmarkRecord& benchmark) {
    const auto& options = benchmark.metric.cross_validation;
    if (is_stored()) {
        open_stored();
        return comm::from_first_rank<metrics::SplitLabels>(
            context_.team, [&] { return metrics::split_labels(stored_->labels(), options); });
    }
    metrics::SplitLabels labels;
    comm::run_collectively(context_.team, [&] {
        const auto& stimuli = inputs_.recordings.stimuli(benchmark.dataset);
        core::Assembly shown;
        for (const auto& column : stimuli.columns)
            shown.coordinates.push_back({column.name, "presentation", column.values});
        labels = metrics::split_labels(shown, options);
    });
    return labels;
}

/// A layer's Gram may serve several datasets: the ids may be shown if those of all of them may.
FeatureNames UnitFeatures::feature_names(const core::TimeBins& bins) {
    const std::string place =
        is_stored() ? model_.features.path : "model '" + model_.identifier + "'";
    const bool restricted = std::any_of(
        unit_.scores.begin(), unit_.scores.end(),
        [&](const auto& score) { return inputs_.recordings.is_restricted(score.benchmark); });
    if (restricted) return {place, {}};
    return {place, bins.empty() ? stimulus_ids() : in_time_bins(stimulus_ids(), bins)};
}

LayerGram UnitFeatures::gram_of(const config::LayerSet& layers,
                                const std::vector<OpenLayer>& wanted, const core::TimeBins& bins) {
    const Wanted all{wanted, PassFor::needed, bins};
    LayerGram sum = layer_gram(layers.front(), all);
    for (std::size_t l = 1; l < layers.size(); ++l)
        add_gram(sum, layer_gram(layers[l], all), context_);
    return sum;
}

LayerGram UnitFeatures::layer_gram(const std::string& layer, const Wanted& wanted) {
    const std::string key = gram_key(layer, wanted.bins);
    if (auto gram = load_gram(key, context_)) return std::move(*gram);
    if (const auto path = projected(layer, wanted); !path.empty())
        return gram_of_stored({path, only_layer, true, 0, {}, wanted.bins}, key);
    if (is_stored())
        return gram_of_stored({model_.features.path, layer, true, 0, {}, wanted.bins}, key);
    open_activations(layer, wanted);
    std::optional<AveragedActivations> averages;
    comm::run_collectively(context_.team, [&] {
        if (const auto& file = activations_.file())
            averages.emplace(*file, unit_.trials, wanted.bins);
    });
    FeatureSource source;
    if (averages) source = &*averages;
    return make_gram(source, layer, key, context_, feature_names(wanted.bins));
}

LayerGram UnitFeatures::gram_of_stored(const LayerColumns& layer, const std::string& key) {
    const bool is_own = layer.path == model_.features.path;
    if (is_own) open_stored();
    std::optional<core::Assembly> part;
    FeatureSource source;
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads()) return;
        if (is_own && !stored_->is_whole()) {
            source = &*stored_;
            return;
        }
        const auto& features = is_own ? stored_->labels() : projection_at(layer.path);
        source = &features;
        if (layer.time_bins.empty() && is_layer_itself(features, layer.layer)) return;
        part = stored_layer(features, layer.layer, layer.time_bins);
        source = &*part;
    });
    auto names = feature_names(layer.time_bins);
    if (is_own) names.require_unchanged = [this] { require_files(); };
    return make_gram(source, layer.layer, key, context_, names);
}

FeatureColumns UnitFeatures::columns_of(const config::LayerSet& layers,
                                        const std::vector<OpenLayer>& wanted,
                                        const core::TimeBins& bins, PassFor pass_for) {
    std::vector<LayerColumns> places;
    for (const auto& layer : layers)
        places.push_back(layer_columns(layer, {wanted, pass_for, bins}));
    return FeatureColumns(std::move(places), at_hand());
}

void UnitFeatures::require_files() const {
    if (!is_stored() || !inputs_.truth) return;
    inputs_.truth->require_file(model_.features.path);
    if (model_.pca && !model_.pca->features.path.empty())
        inputs_.truth->require_file(model_.pca->features.path);
}

void UnitFeatures::require_unchanged() {
    comm::run_collectively(context_.team, [&] {
        if (context_.leads()) require_files();
    });
}

bool UnitFeatures::are_unchanged() const {
    try {
        require_files();
        return true;
    } catch (const core::TransientError&) {
        return false;
    }
}

FeaturesAtHand UnitFeatures::at_hand() const {
    return {model_.features.path, stored_ ? &*stored_ : nullptr};
}

LayerColumns UnitFeatures::layer_columns(const std::string& layer, const Wanted& wanted) {
    const auto path = projected(layer, wanted);
    auto columns =
        path.empty() ? own_columns(layer, wanted)
                     : comm::from_first_rank<LayerColumns>(context_.team, [&] {
                           return LayerColumns{path, only_layer, true,
                                               stored_layer_size(projection_at(path), only_layer)};
                       });
    columns.time_bins = wanted.bins;
    return columns;
}

LayerColumns UnitFeatures::own_columns(const std::string& layer, const Wanted& wanted) {
    return is_stored() ? stored_columns(layer) : recorded_columns(layer, wanted);
}

LayerColumns UnitFeatures::recorded_columns(const std::string& layer, const Wanted& wanted) {
    open_activations(layer, wanted);
    return activations_.columns(layer);
}

void UnitFeatures::open_activations(const std::string& layer, const Wanted& wanted) {
    activations_.open(layer, [&] { return to_extract(layer, wanted); });
}

bool UnitFeatures::is_on_disk(const OpenLayer& layer, PassFor pass_for) const {
    if (!unit_.projection.empty() && io::is_there(projection_path(layer.name))) return true;
    if (pass_for == PassFor::all_columns ||
        (layer.columns && !activations_.is_recorded(layer.name)))
        return false;
    return std::all_of(layer.grams.begin(), layer.grams.end(), [&](const auto& bins) {
        return io::is_there(gram_path(context_.out, gram_key(layer.name, bins)));
    });
}

std::vector<std::string> UnitFeatures::to_extract(const std::string& layer,
                                                  const Wanted& wanted) const {
    std::vector<std::string> layers;
    for (const auto& each : wanted.layers) {
        // The layer itself may have a checkpoint too: a damaged one.
        if (each.name == layer ||
            (!activations_.is_unrecordable(each.name) && !is_on_disk(each, wanted.pass_for)))
            layers.push_back(each.name);
    }
    return layers;
}

LayerColumns UnitFeatures::stored_columns(const std::string& layer) {
    open_stored();
    return comm::from_first_rank<LayerColumns>(context_.team, [&] {
        return LayerColumns{model_.features.path, layer, true,
                            stored_layer_size(stored_->labels(), layer), model_.features.variable};
    });
}

double UnitFeatures::extraction_seconds() const {
    return activations_.seconds() + (fitting_ ? fitting_->extraction_seconds() : 0);
}

void UnitFeatures::open_stored() {
    const auto time = context_.time(Stage::io);
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads() || stored_) return;
        if (inputs_.truth) inputs_.truth->require_file(model_.features.path);
        stored_.emplace(pipeline::open_stored(model_, context_.workers.threads()));
    });
}

std::uint64_t UnitFeatures::bytes_in_use() const {
    return in_use_.bytes() + (fitting_ ? fitting_->bytes_in_use() : 0);
}

void UnitFeatures::release_files() {
    if (fitting_) fitting_->release_files();
    activations_.close();
    projection_.reset();
    in_use_.release();
}

void UnitFeatures::discard_activations() {
    if (!context_.leads()) return;
    const auto used = bytes_in_use();
    release_files();
    if (context_.kept.activations == Keep::discard) {
        UnitFiles files;
        add_files_of(files, unit_, inputs_.run, inputs_.facts, context_.fingerprint);
        UnitFiles kept;
        for (const auto* unit : inputs_.later)
            add_files_of(kept, *unit, inputs_.run, inputs_.facts, context_.fingerprint);
        discard_files(context_.out, files, kept);
    }
    if (context_.activations_budget) context_.activations_budget->have_used(used);
}

}  // namespace ventral::pipeline

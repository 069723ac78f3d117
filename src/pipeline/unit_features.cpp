#include "pipeline/unit_features.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "metrics/time_bins.hpp"
#include "models/load_network.hpp"
#include "models/made_up_images.hpp"
#include "models/recorder.hpp"
#include "models/time_axis.hpp"
#include "pipeline/extract.hpp"
#include "pipeline/from_first_rank.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/stored_features.hpp"
#include "pipeline/unit.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;

bool has_layer(const io::ActivationsFile& file, const std::string& layer) {
    const auto& layers = file.layers();
    return std::any_of(layers.begin(), layers.end(),
                       [&](const auto& each) { return each.name == layer; });
}

std::size_t features_of(const io::ActivationsFile& file, const std::string& layer) {
    for (const auto& each : file.layers())
        if (each.name == layer) return io::feature_count(each);
    throw core::InputError("the activations have no layer '" + layer + "'");
}

/// Throws `core::InputError` for a layer without the axis of time that the model has.
void check_time(const models::ModelRecord& model, const models::LayerRecorder& recorder) {
    if (!model.time || !model.preprocessing) return;
    const auto input = stimuli::tensor_shape(*model.preprocessing);
    if (!input) return;
    const auto [channels, height, width] = *input;
    const models::BatchShape batch{
        static_cast<std::int64_t>(model.batch_size), static_cast<std::int64_t>(channels),
        static_cast<std::int64_t>(height), static_cast<std::int64_t>(width)};
    const auto shapes = recorder.shapes(models::made_up_images(batch), batch);
    for (std::size_t l = 0; l < shapes.size(); ++l)
        if (shapes[l]) models::shape_in_time_bin(*shapes[l], model, recorder.layers()[l]);
}

/// Layers that the network cannot record, with the reason.
std::map<std::string, std::string> unrecordable_layers(const models::ModelRecord& model,
                                                       const std::vector<std::string>& layers) {
    const auto network = models::load_network(model);
    std::map<std::string, std::string> reasons;
    for (const auto& layer : layers) {
        try {
            check_time(model, models::LayerRecorder(network, {layer}));
        } catch (const core::InputError& error) {
            reasons[layer] = error.what();
        }
    }
    return reasons;
}

/// What the rows of features are called, one time bin after the other.
std::vector<std::string> in_time_bins(const std::vector<std::string>& stimulus_ids,
                                      const std::vector<benchmarks::TimeBin>& bins) {
    std::vector<std::string> names;
    for (const auto& [start, end] : bins)
        for (const auto& id : stimulus_ids)
            names.push_back(id + ", " + metrics::time_bin_name(start, end));
    return names;
}

/// Those with names that begin so. Other jobs may add and remove files meanwhile: it lists what it
/// can.
std::vector<std::string> activation_files(const std::string& folder, const std::string& prefix) {
    std::vector<std::string> paths;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().extension() == ".h5" &&
            entry->path().filename().string().rfind(prefix, 0) == 0)
            paths.push_back(entry->path().string());
    return paths;
}

}  // namespace

UnitFeatures::UnitFeatures(const PlannedUnit& unit, const UnitInputs& inputs, TeamContext& context)
    : unit_(unit),
      inputs_(inputs),
      context_(context),
      activations_prefix_(activations_prefix(unit.key, context.fingerprint)) {}

bool UnitFeatures::is_stored() const {
    return !inputs_.run.models[unit_.model].features_file.empty();
}

std::string UnitFeatures::gram_key(const std::string& layer,
                                   const std::vector<benchmarks::TimeBin>& bins) const {
    return pipeline::gram_key(unit_.key, unit_.projection, layer, context_.fingerprint, bins);
}

InTime UnitFeatures::in_time() {
    if (!is_stored())
        return inputs_.run.models[unit_.model].time ? InTime::changing : InTime::still;
    open_stored();
    return from_first_rank<bool>(context_.team, [&] { return change_in_time(*stored_); })
               ? InTime::changing
               : InTime::still;
}

const std::vector<std::string>& UnitFeatures::stimulus_ids() {
    if (!stimulus_ids_.empty()) return stimulus_ids_;
    if (is_stored()) {
        open_stored();
        stimulus_ids_ = from_first_rank<std::vector<std::string>>(
            context_.team, [&] { return core::texts(*stored_, "stimulus_id"); });
    } else {
        comm::run_collectively(context_.team, [&] {
            stimulus_ids_ = inputs_.recordings.stimuli(unit_.dataset).stimulus_ids;
        });
    }
    return stimulus_ids_;
}

/// A layer's Gram may serve several datasets: the ids may be shown if those of all of them may.
FeatureNames UnitFeatures::feature_names(const std::vector<benchmarks::TimeBin>& bins) {
    const auto& model = inputs_.run.models[unit_.model];
    const std::string place =
        is_stored() ? model.features_file : "model '" + model.identifier + "'";
    const bool restricted = std::any_of(
        unit_.scores.begin(), unit_.scores.end(),
        [&](const auto& score) { return inputs_.recordings.is_restricted(score.benchmark); });
    if (restricted) return {place, {}};
    return {place, bins.empty() ? stimulus_ids() : in_time_bins(stimulus_ids(), bins)};
}

LayerGram UnitFeatures::gram_of(const config::LayerSet& layers,
                                const std::vector<OpenLayer>& wanted,
                                const std::vector<benchmarks::TimeBin>& bins) {
    const Wanted all{wanted, false, bins};
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
        return gram_of_stored(
            {inputs_.run.models[unit_.model].features_file, layer, true, 0, {}, wanted.bins}, key);
    open_activations(layer, wanted);
    std::optional<AveragedActivations> averages;
    comm::run_collectively(context_.team, [&] {
        if (file_) averages.emplace(*file_, unit_.trials, wanted.bins);
    });
    FeatureSource source;
    if (averages) source = &*averages;
    return make_gram(source, layer, key, context_, feature_names(wanted.bins));
}

LayerGram UnitFeatures::gram_of_stored(const LayerColumns& layer, const std::string& key) {
    const bool is_own = layer.path == inputs_.run.models[unit_.model].features_file;
    if (is_own) open_stored();
    std::optional<core::Assembly> part;
    FeatureSource source;
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads()) return;
        const auto& features = is_own ? *stored_ : projection_at(layer.path);
        source = &features;
        if (layer.time_bins.empty() && is_layer_itself(features, layer.layer)) return;
        part = stored_layer(features, layer.layer, layer.time_bins);
        source = &*part;
    });
    return make_gram(source, layer.layer, key, context_, feature_names(layer.time_bins));
}

FeatureColumns UnitFeatures::columns_of(const config::LayerSet& layers,
                                        const std::vector<OpenLayer>& wanted,
                                        const std::vector<benchmarks::TimeBin>& bins) {
    std::vector<LayerColumns> places;
    for (const auto& layer : layers) places.push_back(layer_columns(layer, {wanted, true, bins}));
    return FeatureColumns(std::move(places), at_hand());
}

FeaturesAtHand UnitFeatures::at_hand() const {
    return {inputs_.run.models[unit_.model].features_file, stored_ ? &*stored_ : nullptr};
}

LayerColumns UnitFeatures::layer_columns(const std::string& layer, const Wanted& wanted) {
    const auto path = projected(layer, wanted);
    auto columns =
        path.empty() ? own_columns(layer, wanted)
                     : from_first_rank<LayerColumns>(context_.team, [&] {
                           return LayerColumns{path, only_layer, true,
                                               stored_layer_size(projection_at(path), only_layer)};
                       });
    columns.time_bins = wanted.bins;
    return columns;
}

LayerColumns UnitFeatures::own_columns(const std::string& layer, const Wanted& wanted) {
    return is_stored() ? stored_columns(layer) : recorded_columns(layer, wanted);
}

LayerColumns UnitFeatures::stored_columns(const std::string& layer) {
    open_stored();
    return from_first_rank<LayerColumns>(context_.team, [&] {
        const auto& model = inputs_.run.models[unit_.model];
        return LayerColumns{model.features_file, layer, true, stored_layer_size(*stored_, layer),
                            model.features_variable};
    });
}

LayerColumns UnitFeatures::recorded_columns(const std::string& layer, const Wanted& wanted) {
    open_activations(layer, wanted);
    return from_first_rank<LayerColumns>(context_.team, [&] {
        return LayerColumns{path_, layer, false, features_of(*file_, layer), {}, {}, unit_.trials};
    });
}

double UnitFeatures::extraction_seconds() const {
    return extraction_seconds_ + (fitting_ ? fitting_->extraction_seconds() : 0);
}

void UnitFeatures::open_stored() {
    const auto time = context_.time(Stage::io);
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads() || stored_) return;
        const auto& model = inputs_.run.models[unit_.model];
        if (inputs_.truth) inputs_.truth->require_file(model.features_file);
        stored_ = read_stored(model);
    });
}

std::string UnitFeatures::find_activations(const std::string& layer) {
    const auto time = context_.time(Stage::io);
    for (const auto& path : activation_files(context_.out + "/activations", activations_prefix_)) {
        if (damaged_paths_.count(path) || !in_use_.add(path)) continue;
        try {
            const io::ActivationsFile file(path);
            if (!has_layer(file, layer)) continue;
            if (path != written_path_ && verified_.emplace(path, layer).second)
                file.verify(layer, [&] { context_.got_on(); });
            return path;
        } catch (const core::InputError& error) {
            damaged_paths_.insert(path);
            in_use_.release(path);
            core::log_warning(std::string(error.what()) + "; the activations are made again");
        }
    }
    return {};
}

void UnitFeatures::open_activations(const std::string& layer, const Wanted& wanted) {
    auto path = from_first_rank<std::string>(context_.team, [&] {
        const bool is_open = file_ && has_layer(*file_, layer) &&
                             (path_ == written_path_ || verified_.count({path_, layer}) > 0);
        return is_open ? std::string("open") : find_activations(layer);
    });
    if (path == "open") return;
    if (path.empty()) {
        file_.reset();
        check_recordable(layer);
        extract_or_remember(from_first_rank<std::vector<std::string>>(
            context_.team, [&] { return to_extract(layer, wanted); }));
        check_recordable(layer);
        path = written_path_;
    }
    used_paths_.insert(path);
    path_ = path;
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads()) return;
        if (!in_use_.add(path))
            throw core::OutputError(path +
                                    ": another run has removed it, the activations are "
                                    "made again by the next run (the activations budget is small)");
        file_.emplace(path, io::ReadAgain::no);
    });
}

void UnitFeatures::check_recordable(const std::string& layer) {
    comm::run_collectively(context_.team, [&] {
        const auto bad = unrecordable_.find(layer);
        if (bad == unrecordable_.end()) return;
        if (bad->second.failure_class == core::FailureClass::transient)
            throw core::OutputError(bad->second.reason);
        if (bad->second.failure_class == core::FailureClass::out_of_memory) throw std::bad_alloc();
        throw core::InputError(bad->second.reason);
    });
}

bool UnitFeatures::is_on_disk(const OpenLayer& layer, bool columns) const {
    if (!unit_.projection.empty() && fs::exists(projection_path(layer.name))) return true;
    return !columns && std::all_of(layer.grams.begin(), layer.grams.end(), [&](const auto& bins) {
        return fs::exists(gram_path(context_.out, gram_key(layer.name, bins)));
    });
}

std::vector<std::string> UnitFeatures::to_extract(const std::string& layer,
                                                  const Wanted& wanted) const {
    std::vector<std::string> layers;
    for (const auto& each : wanted.layers) {
        // The layer itself may have a checkpoint too: a damaged one.
        if (each.name == layer ||
            (!unrecordable_.count(each.name) && !is_on_disk(each, wanted.columns)))
            layers.push_back(each.name);
    }
    return layers;
}

/// What one pass of the network could not do, the next will not do either.
void UnitFeatures::extract_or_remember(const std::vector<std::string>& layers) {
    const auto remember = [&](core::FailureClass failure_class, const std::string& reason) {
        for (const auto& layer : layers)
            unrecordable_.emplace(layer, core::Failure{failure_class, reason});
    };
    try {
        extract_layers(layers);
    } catch (const core::Interrupted&) {
        throw;
    } catch (const comm::CollectiveError& error) {
        remember(error.failure_class(), error.reason());
        throw;
    } catch (const core::InputError& error) {
        remember(core::failure_class_of(error), error.what());
        throw;
    } catch (const std::bad_alloc& error) {
        remember(core::FailureClass::out_of_memory, error.what());
        throw;
    }
}

void UnitFeatures::extract_layers(std::vector<std::string> layers) {
    const auto time = context_.time(Stage::extract);
    const auto start = std::chrono::steady_clock::now();
    const auto& model = inputs_.run.models[unit_.model];
    const core::StimulusSet* stimuli = nullptr;
    comm::run_collectively(context_.team, [&] {
        stimuli = &inputs_.recordings.stimuli(unit_.dataset);
        if (!context_.leads() || !inputs_.truth) return;
        if (!model.builtin) inputs_.truth->require_file(model.weights_file);
        inputs_.truth->require_stimuli(unit_.dataset, *stimuli);
    });
    inputs_.network_trials.require(unit_.model, context_);
    for (bool second_try = false;; second_try = true) {
        if (layers.empty()) return;
        core::KeyBuilder names;
        for (const auto& layer : layers) names.add("layer", layer);
        const std::string path = context_.out + "/activations/" + activations_prefix_ + "-" +
                                 names.key().substr(0, 16) + ".h5";
        try {
            extract({model, *stimuli, layers, unit_.key, path,
                     inputs_.run.datasets.at(unit_.dataset).access, unit_.trials},
                    context_);
            extraction_seconds_ +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            written_path_ = path;
            damaged_paths_.erase(path);
            if (context_.checkpointed) context_.checkpointed();
            return;
        } catch (const core::Interrupted&) {
            throw;
        } catch (const std::runtime_error&) {
            // Perhaps single layers are at fault: the others can still be had.
            const std::size_t tried = layers.size();
            if (second_try) throw;
            forget_unrecordable(layers);
            if (layers.size() == tried) throw;
        }
    }
}

void UnitFeatures::forget_unrecordable(std::vector<std::string>& layers) {
    using Reasons = std::map<std::string, std::string>;
    const auto reasons = from_first_rank<Reasons>(context_.team, [&] {
        return unrecordable_layers(inputs_.run.models[unit_.model], layers);
    });
    for (const auto& [layer, reason] : reasons)
        unrecordable_.emplace(layer, core::Failure{core::FailureClass::deterministic, reason});
    layers.erase(std::remove_if(layers.begin(), layers.end(),
                                [&](const auto& layer) { return reasons.count(layer) > 0; }),
                 layers.end());
}

void UnitFeatures::discard_activations() {
    if (fitting_) fitting_->discard_activations();
    if (!context_.leads()) return;
    file_.reset();
    in_use_.release();
    if (context_.activations == Keep::keep) {
        if (context_.activations_budget)
            keep_within_budget(context_.out + "/activations", *context_.activations_budget);
        return;
    }
    std::error_code ignored;
    for (const auto& path : used_paths_) fs::remove(path, ignored);
}

}  // namespace ventral::pipeline

#include "pipeline/outlook/unit_work.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/time_bin.hpp"
#include "io/activations/activations_shape.hpp"
#include "io/input_file.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/outlook/gram_memory.hpp"
#include "pipeline/outlook/unit_needs.hpp"
#include "pipeline/plan/fit_parts.hpp"

namespace ventral::pipeline {
namespace {

/// Of files beside their values, about: what the libraries add, names of stimuli in each layer,
/// sums over the rows of a Gram, texts of a score in the journal and in tables.
constexpr double beside_file = 8 << 10;
constexpr double beside_stimulus = 150;
constexpr double beside_gram_row = 4 * sizeof(double);
constexpr double beside_score = 20 << 10;

/// The work of one unit, layer set by layer set.
class WorkOfUnit {
public:
    WorkOfUnit(const PlannedUnit& unit, const UnitEstimate& estimate, const WorkInputs& inputs)
        : unit_(unit),
          estimate_(estimate),
          inputs_(inputs),
          model_(inputs.run.models[unit.model]),
          rows_(static_cast<double>(estimate.stimuli)) {
        if (estimate.network) {
            work_.load_seconds = estimate.network->load_seconds;
            work_.image_seconds = estimate.network->image_seconds;
            work_.batch_seconds = estimate.network->batch_seconds;
        }
        if (model_.memory_layout == models::MemoryLayout::channels_last) {
            work_.trial_loads = 2;
            work_.trial_images = model_.batch_size == 1 ? 2 : 4;
        }
    }

    UnitWork all() {
        inputs_.recordings.turn_to(benchmarks_of(unit_));
        for (const auto& result : inputs_.finished.groups) ++known_groups_[result.key];
        for (const auto& score : unit_.scores)
            if (!inputs_.finished.is_done(score.key) && has_layers(score)) add(score);
        for (const auto& layer : work_.extracted)
            write_activations(unit_.key, estimate_.stimuli * unit_.trials, layer);
        if (!work_.extracted.empty()) add_pass(unit_.dataset, unit_.trials);
        add_fitting_images();
        return work_;
    }

private:
    bool has_layers(const PlannedScore& score) const {
        return std::all_of(score.layers.begin(), score.layers.end(), [&](const auto& name) {
            return std::any_of(estimate_.layers.begin(), estimate_.layers.end(),
                               [&](const auto& layer) { return layer.name == name; });
        });
    }

    void add(const PlannedScore& score) {
        const auto& metric =
            metrics::find_metric(inputs_.run.benchmarks[score.benchmark].metric.name);
        std::vector<FitPart> parts;
        try {
            parts = fit_parts(score, inputs_.recordings.prepared(score.benchmark), metric.time,
                              estimate_.in_time);
        } catch (const core::InputError&) {
            return add_part(score, metric, {});  // the run will record why there are no fits
        }
        for (const auto& part : parts) {
            add_part(score, metric, part.bins);
            add_fits(part);
        }
    }

    void add_part(const PlannedScore& score, const metrics::RegisteredMetric& metric,
                  const core::TimeBins& bins) {
        for (const auto& layer : score.layers)
            if (metrics::needs_gram(metric) && seen_.insert({layer, bins}).second)
                add_gram(layer, bins);
        add_features(score, metric, bins);
    }

    std::size_t used_features(const config::LayerSet& layers) const {
        std::size_t features = 0;
        for (const auto& layer : layers) features += used_features(layer);
        return features;
    }

    /// Of a Gram: stimuli, in each of the bins.
    double gram_rows(const core::TimeBins& bins) const {
        return rows_ * static_cast<double>(std::max<std::size_t>(bins.size(), 1));
    }

    std::size_t features_of(const std::string& layer) const {
        for (const auto& each : estimate_.layers)
            if (each.name == layer) return each.features;
        return 0;
    }

    bool is_projected(const std::string& layer) const {
        return pipeline::is_projected(model_, {layer, features_of(layer)});
    }

    std::size_t used_features(const std::string& layer) const {
        return is_projected(layer) ? model_.pca->components : features_of(layer);
    }

    double activation_bytes(const std::string& layer) const {
        return rows_ *
               static_cast<double>(unit_.trials * estimate_.feature_bins * features_of(layer)) *
               sizeof(float);
    }

    void add_gram(const std::string& layer, const core::TimeBins& bins) {
        const auto files = inputs_.checkpoints.of(unit_, layer, bins);
        const GramSize gram{gram_rows(bins), static_cast<double>(used_features(layer))};
        if (files.gram) {
            work_.read_bytes += gram.file();
            return;
        }
        if (!gram.is_narrow()) work_.gram_flops += gram.rows * (gram.rows + 1) * gram.features;
        work_.gram_files[gram_key(unit_.key, unit_.projection, layer, "", bins)] =
            gram.file() + beside_file + beside_gram_row * gram.rows;
        work_.written_bytes += gram.file();
        take_features(layer, files);
    }

    /// From where they are, or from the network.
    void take_features(const std::string& layer, const LayerFiles& files) {
        if (!at_hand_.insert(layer).second) return;
        if (is_projected(layer) && files.projection) {
            work_.read_bytes += projection_file_bytes(model_, projected_rows());
            return;
        }
        if (!estimate_.network || files.activations)
            work_.read_bytes += activation_bytes(layer);
        else
            work_.extracted.insert(layer);
        if (is_projected(layer)) add_projection(layer);
    }

    /// That are projected: stimuli, in each time bin of their features.
    std::size_t projected_rows() const { return estimate_.stimuli * estimate_.feature_bins; }

    void add_projection(const std::string& layer) {
        const auto p = static_cast<double>(features_of(layer));
        const auto f = static_cast<double>(estimate_.fitting_rows);
        work_.gram_flops +=
            f * (f + 1) * p + 9 * f * f * f + 2 * static_cast<double>(projected_rows()) * f * p;
        const double written = projection_file_bytes(model_, projected_rows());
        work_.projection_files[layer + " of " + unit_.key + " by " + unit_.projection] = written;
        work_.written_bytes += written;
        if (!estimate_.network || inputs_.checkpoints.has_activations(fitting_key(), layer))
            work_.read_bytes += f * p * sizeof(float);
        else if (fitting_key() != unit_.key)
            fitting_layers_.insert(layer);
    }

    /// Of the network's activations on the images that the PCA is fitted on.
    std::string fitting_key() const { return pipeline::fitting_key(model_, inputs_.facts); }

    void add_features(const PlannedScore& score, const metrics::RegisteredMetric& metric,
                      const core::TimeBins& bins) {
        const std::size_t features = used_features(score.layers);
        const double rows = gram_rows(bins);
        const bool reduced = metric.needs == metrics::FeaturesNeeded::reduced &&
                             static_cast<double>(features) >= rows;
        if (!reduced && !metrics::needs_columns(metric, static_cast<std::size_t>(rows), features))
            return;
        for (const auto& layer : score.layers)
            take_features(layer, inputs_.checkpoints.of(unit_, layer, bins));
        if (reduced && reduced_.insert({layer_text(score.layers), bins}).second)
            work_.gram_flops += 3 * rows * rows * static_cast<double>(features);
    }

    void add_fits(const FitPart& part) {
        const auto& score = *part.score;
        const auto& plan = *part.plan;
        const auto& metric = inputs_.run.benchmarks[score.benchmark].metric;
        auto& known = known_groups_[score.key];
        const std::size_t done = std::min(known, plan.groups());
        known -= done;
        const std::size_t open = plan.groups() - done;
        if (open == 0) return;
        auto flops = fit_flops(metric, plan, used_features(score.layers));
        const double shared = flops.shared;
        flops = static_cast<double>(open) / static_cast<double>(plan.groups()) * flops;
        flops.shared = shared;
        work_.fits += flops;
        work_.fold_groups += open;
        const double raw = sizeof(double) * static_cast<double>(plan.folds.size() * plan.columns());
        work_.written_bytes += 2 * raw;                // once as fold groups, once as the score
        work_.result_bytes += 3 * raw + beside_score;  // and in the table of raw values
    }

    void write_activations(const std::string& key, std::size_t rows, const std::string& layer) {
        const auto bytes = static_cast<double>(io::bytes_in_chunks(
            models::images_at_once(model_), rows, estimate_.feature_bins, features_of(layer)));
        work_.activation_files[layer + " of " + key] =
            bytes + beside_file + beside_stimulus * static_cast<double>(rows);
        work_.activation_bytes += bytes;
        work_.written_bytes += bytes;
    }

    void add_pass(const std::string& dataset, std::size_t trials) {
        const auto& stimuli = inputs_.recordings.stimuli(dataset);
        const std::size_t images = stimuli.files.size();
        const std::size_t batch = models::images_at_once(model_);
        work_.passes.push_back({images, core::ceil_divide(images, batch), trials});
        work_.network_flops += static_cast<double>(images * trials) * estimate_.network->flops;
        work_.read_bytes += inputs_.recordings.images_bytes(dataset) +
                            static_cast<double>(io::file_bytes(model_.weights_file));
    }

    void add_fitting_images() {
        for (const auto& layer : fitting_layers_)
            write_activations(fitting_key(), estimate_.fitting_rows / estimate_.feature_bins,
                              layer);
        if (!fitting_layers_.empty()) add_pass(model_.pca->dataset, 1);
    }

    const PlannedUnit& unit_;
    const UnitEstimate& estimate_;
    const WorkInputs& inputs_;
    const models::ModelRecord& model_;
    double rows_;
    UnitWork work_;
    std::map<std::string, std::size_t>
        known_groups_;  ///< of each score, not taken into account yet
    std::set<std::pair<std::string, core::TimeBins>> seen_, reduced_;
    std::set<std::string> at_hand_, fitting_layers_;
};

}  // namespace

std::size_t Work::images() const {
    std::size_t sum = 0;
    for (const auto& pass : passes) sum += pass.images;
    return sum;
}

Work& Work::operator+=(const Work& more) {
    passes.insert(passes.end(), more.passes.begin(), more.passes.end());
    network_flops += more.network_flops;
    gram_flops += more.gram_flops;
    fits += more.fits;
    fold_groups += more.fold_groups;
    read_bytes += more.read_bytes;
    written_bytes += more.written_bytes;
    activation_bytes += more.activation_bytes;
    return *this;
}

UnitWork unit_work(const PlannedUnit& unit, const UnitEstimate& estimate,
                   const WorkInputs& inputs) {
    return WorkOfUnit(unit, estimate, inputs).all();
}

}  // namespace ventral::pipeline

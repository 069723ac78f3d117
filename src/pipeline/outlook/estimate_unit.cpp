#include "pipeline/outlook/estimate_unit.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/byte_count.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "io/activations/activations_shape.hpp"
#include "pipeline/extraction/unrecordable_layers.hpp"
#include "pipeline/inputs/fitting_features.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/outlook/time_needs.hpp"
#include "pipeline/outlook/unit_needs.hpp"

namespace ventral::pipeline {
namespace {

/// One unit of the plan, looked at for the first time.
class UnitEstimator {
public:
    UnitEstimator(const PlannedUnit& unit, const EstimateContext& context)
        : run_(context.run),
          found_{unit},
          model_(context.run.models[unit.model]),
          node_(context.node),
          recordings_(context.recordings),
          probed_(context.probed) {}

    void fill(UnitEstimate& estimate, const NeedsPasses& needs_passes) {
        node_.forget_peak();
        const double program_bytes = own_program();
        estimate.program_bytes_a_rank = program_bytes;
        if (!has_stored_features(model_))
            probe(estimate);
        else
            read(estimate);
        estimate.stimuli = found_.shape.stimulus_ids.size();
        estimate.gram_rows = std::max(estimate.gram_rows, estimate.stimuli);
        found_.shape.layers = estimate.layers;
        estimate.in_time = found_.shape.in_time;
        estimate.feature_bins = found_.shape.feature_bins;
        add_disk(estimate);
        found_.has_passes = estimate.network && needs_passes(found_.unit, estimate, recordings_);
        if (!found_.has_passes) estimate.program_bytes_a_rank = program_bytes;
    }

    /// Beside what the estimate says, once `fill` has looked.
    const UnitLook& found() const { return found_; }

private:
    /// Without what the plan alone has in memory.
    double own_program() const {
        return std::max(0.0, node_.program_bytes() - recordings_.kept_bytes());
    }

    PeakMemory peak_memory() const { return {node_.program_bytes, node_.forget_peak}; }

    void read(UnitEstimate& estimate) {
        const auto file = open_stored(model_, node_.threads);
        const auto& stored = file.labels();
        found_.shape.stimulus_ids = core::texts(stored, "stimulus_id");
        found_.shape.stored_bytes = static_cast<double>(file.kept_bytes());
        found_.shape.is_whole = file.is_whole();
        found_.shape.stored_reading_bytes = static_cast<double>(file.reading_bytes());
        found_.shape.value_bytes = static_cast<double>(core::value_bytes(stored.values));
        found_.shape.is_one_layer = is_layer_itself(stored, stored_layers(stored).front());
        read_layers(estimate, stored);
        if (!change_in_time(stored)) return;
        found_.shape.in_time = InTime::changing;
        found_.shape.feature_bins = core::dimension_size(stored, "time_bin");
        add_time(estimate, time_needs(run_, found_.unit, stored, recordings_));
    }

    /// A layer that is not there, or not as the PCA needs it, costs its scores alone.
    void read_layers(UnitEstimate& estimate, const core::Assembly& stored) {
        std::optional<StoredFeatures> fitting;
        if (model_.pca) {
            fitting.emplace(open_fitting(model_, node_.threads));
            estimate.fitting_rows = rows_in_time(fitting->labels());
            found_.fitting_bytes =
                static_cast<double>(fitting->kept_bytes() + fitting->reading_bytes());
        }
        std::map<std::string, std::string> reasons;
        for (const auto& layer : found_.unit.layers) {
            try {
                const auto size = core::naming(model_.features.path, [&] {
                    return LayerSize{layer, stored_layer_size(stored, layer)};
                });
                if (fitting && is_projected(model_, size))
                    check_fitting(fitting->labels(), stored, layer);
                estimate.layers.push_back(size);
            } catch (const core::InputError& error) {
                reasons[layer] = error.what();
            }
        }
        leave_out(reasons, estimate);
    }

    /// Layers, with the reason why their scores will fail.
    void leave_out(const std::map<std::string, std::string>& reasons, UnitEstimate& estimate) {
        if (reasons.empty()) return;
        estimate.failing_layers.insert(reasons.begin(), reasons.end());
        const auto fails = [&](const auto& layer) { return reasons.count(layer) > 0; };
        const auto first =
            *std::find_if(found_.unit.layers.begin(), found_.unit.layers.end(), fails);
        estimate.add_problem("the scores of layer '" + first + "' will fail: " + reasons.at(first));
        if (reasons.size() > 1)
            estimate.add_problem("so will those of " +
                                 core::counted(reasons.size() - 1, "more layer"));
        std::erase_if(found_.unit.layers, fails);
        std::erase_if(found_.unit.scores, [&](const auto& score) {
            return std::any_of(score.layers.begin(), score.layers.end(), fails);
        });
        if (found_.unit.scores.empty()) throw core::InputError(estimate.problem);
    }

    void probe(UnitEstimate& estimate) {
        const auto& stimuli = recordings_.stimuli(found_.unit.dataset);
        found_.shape.stimulus_ids = stimuli.stimulus_ids;
        const auto network = probed(stimuli, estimate);
        estimate.network = network.probe;
        estimate.layers = network.probe.layers;
        estimate.program_bytes_a_rank = network.program_bytes;
        found_.extracting_bytes = network.extracting_bytes;
        found_.shape.feature_bins = answer_bins(model_);
        if (model_.pca)
            estimate.fitting_rows =
                recordings_.stimuli(model_.pca->dataset).files.size() * found_.shape.feature_bins;
        if (!model_.time) return;
        found_.shape.in_time = InTime::changing;
        add_time(estimate, time_needs(run_, found_.unit, stimuli.stimulus_ids.size(), recordings_));
    }

    static void add_time(UnitEstimate& estimate, const TimeNeeds& time) {
        estimate.gram_rows = time.gram_rows;
        estimate.unusable = time.unusable;
    }

    /// Of a known one only the image is new.
    ProbedNetwork probed(const core::StimulusSet& stimuli, UnitEstimate& estimate) {
        const auto known = probed_.find({found_.unit.model, found_.unit.layers});
        if (known == probed_.end()) {
            const auto network = measured(stimuli, estimate);
            probed_.insert({{found_.unit.model, found_.unit.layers}, network});
            return network;
        }
        auto network = known->second;
        network.probe.image_seconds =
            probe_image(model_, stimuli, run_.datasets.at(found_.unit.dataset).access).seconds;
        return network;
    }

    ProbedNetwork measured(const core::StimulusSet& stimuli, UnitEstimate& estimate) {
        ProbedNetwork network{probe_recordable(stimuli, estimate)};
        const double most =
            std::max(own_program(), network.probe.loading_bytes - recordings_.kept_bytes());
        node_.forget_peak();
        network.program_bytes = own_program();
        network.extracting_bytes = std::max(0.0, most - network.program_bytes);
        return network;
    }

    /// A layer that cannot be recorded costs its scores alone.
    NetworkProbe probe_recordable(const core::StimulusSet& stimuli, UnitEstimate& estimate) {
        try {
            return probe(stimuli);
        } catch (const core::InputError&) {
            const auto reasons = unrecordable_layers(model_, stimuli, found_.unit.layers);
            if (reasons.empty()) throw;
            leave_out(reasons, estimate);
        }
        // The passes that found them out have taken as much as the one to be measured.
        node_.forget_peak();
        return probe(stimuli);
    }

    NetworkProbe probe(const core::StimulusSet& stimuli) const {
        return probe_network(model_, stimuli, run_.datasets.at(found_.unit.dataset).access,
                             found_.unit.layers, peak_memory());
    }

    void add_activations(UnitEstimate& estimate, std::size_t rows, const LayerSize& layer) const {
        estimate.activation_bytes += static_cast<double>(io::bytes_in_chunks(
            models::images_at_once(model_), rows, estimate.feature_bins, layer.features));
    }

    void add_disk(UnitEstimate& estimate) const {
        for (const auto& layer : estimate.layers) {
            if (estimate.network) {
                add_activations(estimate, estimate.stimuli * found_.unit.trials, layer);
                if (estimate.fitting_rows > 0)
                    add_activations(estimate, estimate.fitting_rows / estimate.feature_bins, layer);
            }
            if (is_projected(model_, layer))
                estimate.activation_bytes +=
                    projection_file_bytes(model_, estimate.stimuli * estimate.feature_bins);
        }
    }

    const config::RunRecord& run_;
    UnitLook found_;
    const models::ModelRecord& model_;
    const NodeSize& node_;
    RecordingsReader& recordings_;
    ProbedNetworks& probed_;
};

}  // namespace

std::vector<std::string> estimate_unit(UnitEstimate& estimate, const PlannedUnit& unit,
                                       const EstimateContext& context) {
    UnitEstimator estimator(unit, context);
    estimator.fill(estimate, context.needs_passes);
    add_memory(estimate, estimator.found(), context);
    return estimator.found().shape.stimulus_ids;
}

}  // namespace ventral::pipeline

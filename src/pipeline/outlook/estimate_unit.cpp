#include "pipeline/outlook/estimate_unit.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/private_memory.hpp"
#include "io/disk/direct_writes.hpp"
#include "pipeline/inputs/fitting_features.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/outlook/time_needs.hpp"
#include "pipeline/plan/unrecordable_layers.hpp"
#include "stats/gram/gram.hpp"
#include "stats/gram/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

/// The Gram of the fitting images and its eigenvectors, with LAPACK's work space; then both sets by
/// slabs, twice as they are read and once centred, and their products.
double projection_bytes(std::size_t fitting, std::size_t stimuli, std::size_t widest) {
    const auto images = static_cast<double>(fitting);
    const auto n = static_cast<double>(stimuli);
    const auto slab = static_cast<double>(std::min(widest, stats::slab_features));
    const double fit = static_cast<double>(stats::gram_sizes(fitting, widest).total()) +
                       3 * images * images + 2.5 * images * slab;
    const double project = images * images + 2 * n * images + (3.5 * images + 2.5 * n) * slab;
    return std::max(fit, project) * sizeof(double);
}

/// One unit of the plan, estimated for the node and for others that it might fit better.
class UnitEstimator {
public:
    UnitEstimator(const PlannedUnit& unit, const EstimateContext& context)
        : run_(context.run),
          unit_(unit),
          model_(context.run.models[unit.model]),
          node_(context.node),
          recordings_(context.recordings),
          probed_(context.probed) {}

    void fill(UnitEstimate& estimate, const NeedsPasses& needs_passes) {
        node_.forget_peak();
        const double program_bytes = own_program();
        estimate.program_bytes_a_rank = program_bytes;
        if (model_.features_file.empty())
            probe(estimate);
        else
            read(estimate);
        estimate.stimuli = shape_.stimulus_ids.size();
        estimate.gram_rows = std::max(estimate.gram_rows, estimate.stimuli);
        shape_.layers = estimate.layers;
        estimate.in_time = shape_.in_time;
        estimate.feature_bins = shape_.feature_bins;
        add_disk(estimate);
        has_passes_ = estimate.network && needs_passes(unit_, estimate, recordings_);
        if (!has_passes_) estimate.program_bytes_a_rank = program_bytes;
        add_memory(estimate);
    }

    /// Of the features, once `fill` has looked at them.
    const std::vector<std::string>& stimulus_ids() const { return shape_.stimulus_ids; }

private:
    void add_memory(UnitEstimate& estimate) {
        estimate.stages = stages_with(estimate, {node_.ranks, node_.threads});
        estimate.memory_bytes = of_node(estimate, estimate.stages, node_.ranks);
        for (const auto& stage : estimate.stages)
            estimate.rank_bytes = std::max(estimate.rank_bytes,
                                           stage.of_first_rank() + estimate.program_bytes_a_rank);
        const double start = to_start(estimate, node_.ranks);
        estimate.needed_bytes = std::max(estimate.memory_bytes + beside_passes(node_.ranks), start);
        estimate.can_run = estimate.needed_bytes <= node_.memory_bytes;
        if (!estimate.can_run)
            add_problem(
                estimate,
                "needs " + core::bytes_text(estimate.needed_bytes) + " of memory on a node with " +
                    core::bytes_text(node_.memory_bytes) +
                    (estimate.needed_bytes > start
                         ? " (most of it for the " + estimate.largest_stage(node_.ranks).name + ") "
                         : " for its ranks to start, ") +
                    cure(estimate));
    }

    /// Without what the plan alone has in memory.
    double own_program() const {
        return std::max(0.0, node_.program_bytes() - recordings_.kept_bytes());
    }

    PeakMemory peak_memory() const { return {node_.program_bytes, node_.forget_peak}; }

    void read(UnitEstimate& estimate) {
        const auto file = open_stored(model_, node_.threads);
        const auto& stored = file.labels();
        shape_.stimulus_ids = core::texts(stored, "stimulus_id");
        shape_.stored_bytes = static_cast<double>(file.kept_bytes());
        shape_.is_whole = file.is_whole();
        shape_.stored_reading_bytes = static_cast<double>(file.reading_bytes());
        shape_.value_bytes = std::holds_alternative<std::vector<float>>(stored.values)
                                 ? sizeof(float)
                                 : sizeof(double);
        shape_.is_one_layer = is_layer_itself(stored, stored_layers(stored).front());
        read_layers(estimate, stored);
        if (!change_in_time(stored)) return;
        shape_.in_time = InTime::changing;
        shape_.feature_bins = core::dimension_size(stored, "time_bin");
        const auto time = time_needs(run_, unit_, stored, recordings_);
        estimate.gram_rows = time.gram_rows;
        add_problem(estimate, time.problem);
    }

    /// A layer that is not there, or not as the PCA needs it, costs its scores alone.
    void read_layers(UnitEstimate& estimate, const core::Assembly& stored) {
        std::optional<StoredFeatures> fitting;
        if (model_.pca) {
            fitting.emplace(open_fitting(model_, node_.threads));
            estimate.fitting_rows = rows_in_time(fitting->labels());
            fitting_bytes_ = static_cast<double>(fitting->kept_bytes() + fitting->reading_bytes());
        }
        std::map<std::string, std::string> reasons;
        for (const auto& layer : unit_.layers) {
            try {
                const auto size = core::naming(
                    model_.features_file, [&] { return probe_stored(stored, {layer}).front(); });
                if (fitting && is_projected(size)) check_fitting(fitting->labels(), stored, layer);
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
        const auto first = *std::find_if(unit_.layers.begin(), unit_.layers.end(), fails);
        add_problem(estimate,
                    "the scores of layer '" + first + "' will fail: " + reasons.at(first));
        if (reasons.size() > 1)
            add_problem(estimate,
                        "so will those of " + core::counted(reasons.size() - 1, "more layer"));
        std::erase_if(unit_.layers, fails);
        std::erase_if(unit_.scores, [&](const auto& score) {
            return std::any_of(score.layers.begin(), score.layers.end(), fails);
        });
        if (unit_.scores.empty()) throw core::InputError(estimate.problem);
    }

    static void add_problem(UnitEstimate& estimate, const std::string& problem) {
        if (!estimate.problem.empty() && !problem.empty()) estimate.problem += "; ";
        estimate.problem += problem;
    }

    bool is_projected(const LayerSize& layer) const {
        return model_.pca && !stats::passes_through_pca(layer.features, model_.pca->components);
    }

    void probe(UnitEstimate& estimate) {
        const auto& stimuli = recordings_.stimuli(unit_.dataset);
        shape_.stimulus_ids = stimuli.stimulus_ids;
        const auto network = probed(stimuli, estimate);
        estimate.network = network.probe;
        estimate.layers = network.probe.layers;
        estimate.program_bytes_a_rank = network.program_bytes;
        extracting_bytes_ = network.extracting_bytes;
        if (model_.time) shape_.feature_bins = model_.time->bins.size();
        if (model_.pca)
            estimate.fitting_rows =
                recordings_.stimuli(model_.pca->dataset).files.size() * shape_.feature_bins;
        if (!model_.time) return;
        shape_.in_time = InTime::changing;
        const auto time = time_needs(run_, unit_, stimuli.stimulus_ids.size(), recordings_);
        estimate.gram_rows = time.gram_rows;
        add_problem(estimate, time.problem);
    }

    /// Of a known one only the image is new.
    ProbedNetwork probed(const core::StimulusSet& stimuli, UnitEstimate& estimate) {
        const auto known = probed_.find({unit_.model, unit_.layers});
        if (known == probed_.end()) {
            const auto network = measured(stimuli, estimate);
            probed_.insert({{unit_.model, unit_.layers}, network});
            return network;
        }
        auto network = known->second;
        network.probe.image_seconds =
            probe_image(model_, stimuli, run_.datasets.at(unit_.dataset).access).seconds;
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
            const auto reasons = unrecordable_layers(model_, stimuli, unit_.layers);
            if (reasons.empty()) throw;
            leave_out(reasons, estimate);
        }
        // The passes that found them out have taken as much as the one to be measured.
        node_.forget_peak();
        return probe(stimuli);
    }

    NetworkProbe probe(const core::StimulusSet& stimuli) const {
        return probe_network(model_, stimuli, run_.datasets.at(unit_.dataset).access, unit_.layers,
                             peak_memory());
    }

    /// That activations hold of each stimulus: one in each trial and time bin.
    std::size_t copies() const { return unit_.trials * shape_.feature_bins; }

    /// Of a layer's projection.
    double projection_file_bytes() const {
        return sizeof(double) * static_cast<double>(shape_.stimulus_ids.size() *
                                                    shape_.feature_bins * model_.pca->components);
    }

    void add_disk(UnitEstimate& estimate) const {
        for (const auto& layer : estimate.layers) {
            if (estimate.network)
                estimate.activation_bytes +=
                    static_cast<double>((estimate.stimuli * copies() + estimate.fitting_rows) *
                                        layer.features * sizeof(float));
            if (is_projected(layer)) estimate.activation_bytes += projection_file_bytes();
        }
    }

    /// Network and one worker's pass as the probe has found them, for one trial; beside it that
    /// worker holds the batch's other trials, or its answers turned by time. Of each other worker a
    /// pass (at least two copies of all layers of its batch) and a batch that waits to be written.
    /// What is being written may be held once more.
    MemoryStage extraction(const UnitEstimate& estimate, std::size_t threads) const {
        double all = 0;
        for (const auto& layer : estimate.layers) all += static_cast<double>(layer.features);
        const double batch =
            static_cast<double>(models::images_at_once(model_) * copies()) * all * sizeof(float);
        const double beside_pass = copies() > 1 ? batch : 0;
        const double pass = std::max(2 * batch, estimate.network->pass_bytes + beside_pass);
        MemoryStage stage{"passes of the network"};
        stage.a_rank = extracting_bytes_ + recordings_.kept_bytes() + beside_pass +
                       static_cast<double>(threads - 1) * (batch + pass) +
                       std::min(estimate.activation_bytes,
                                static_cast<double>(io::DirectWrites::memory_bytes)) +
                       static_cast<double>(core::spare_memory);
        return stage;
    }

    /// Of stored features the model's own are in memory, those that the components are fitted on,
    /// and the layer that is copied out of both; in time bins it is turned, which takes two copies
    /// more.
    MemoryStage projection(const UnitEstimate& estimate) const {
        const std::size_t rows = estimate.stimuli * shape_.feature_bins;
        std::size_t widest = 0;
        for (const auto& layer : estimate.layers)
            if (is_projected(layer)) widest = std::max(widest, layer.features);
        MemoryStage stage{"PCA"};
        stage.a_rank = recordings_.kept_bytes();
        stage.first_rank = shape_.stored_bytes + shape_.stored_reading_bytes;
        if (widest == 0) return stage;
        stage.shared = projection_bytes(estimate.fitting_rows, rows, widest);
        if (estimate.network) return stage;
        const double copies = shape_.in_time == InTime::changing ? 3 : shape_.is_copied() ? 1 : 0;
        stage.first_rank +=
            fitting_bytes_ + copies * shape_.value_bytes *
                                 static_cast<double>((estimate.fitting_rows + rows) * widest);
        return stage;
    }

    /// Projections are stored features too: in float64, the latest of them in memory.
    UnitShape projected_shape() const {
        auto shape = shape_;
        const bool none = std::none_of(shape.layers.begin(), shape.layers.end(),
                                       [&](const auto& layer) { return is_projected(layer); });
        if (none) return shape;
        for (auto& layer : shape.layers)
            if (is_projected(layer)) layer.features = model_.pca->components;
        if (shape.stored_bytes == 0) shape.is_one_layer = true;
        shape.stored_bytes += projection_file_bytes();
        shape.value_bytes = sizeof(double);
        return shape;
    }

    std::vector<MemoryStage> stages_with(const UnitEstimate& estimate, const Workforce& workforce) {
        auto stages = unit_memory(run_, unit_, projected_shape(), recordings_, workforce);
        if (model_.pca) stages.push_back(projection(estimate));
        add_spare_memory(stages, workforce.ranks);
        if (has_passes_) stages.push_back(extraction(estimate, workforce.threads));
        return stages;
    }

    static double of_node(const UnitEstimate& estimate, const std::vector<MemoryStage>& stages,
                          std::size_t ranks) {
        double most = 0;
        for (const auto& stage : stages) most = std::max(most, stage.of_node(ranks));
        return most + static_cast<double>(ranks) * estimate.program_bytes_a_rank;
    }

    /// What a bound must leave besides for passes to go well: with less for libraries, and for what
    /// allocators keep, they failed (SqueezeNet, one and two threads: 16 to 22 MiB).
    double beside_passes(std::size_t ranks) const {
        constexpr double of_a_rank = 32 << 20;
        return has_passes_ ? static_cast<double>(ranks) * of_a_rank : 0;
    }

    /// Without which a run refuses to begin.
    double to_start(const UnitEstimate& estimate, std::size_t ranks) const {
        return static_cast<double>(ranks) * (estimate.program_bytes_a_rank + node_.room_to_start);
    }

    /// Whether fewer images would be in work with a smaller batch.
    bool can_shrink_batch() const {
        auto smallest = model_;
        smallest.batch_size = 1;
        return models::images_at_once(smallest) < models::images_at_once(model_);
    }

    /// The setting with which the unit would fit: as many workers as possible.
    std::string cure(const UnitEstimate& estimate) {
        std::vector<Workforce> others;
        for (std::size_t ranks = node_.ranks; ranks >= 1; --ranks)
            for (std::size_t threads = node_.threads; threads >= 1; --threads)
                if (ranks * threads < node_.ranks * node_.threads)
                    others.push_back({ranks, threads});
        std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
            return a.ranks * a.threads > b.ranks * b.threads;
        });
        const auto needed = [&](const Workforce& workforce) {
            return std::max(to_start(estimate, workforce.ranks),
                            of_node(estimate, stages_with(estimate, workforce), workforce.ranks) +
                                beside_passes(workforce.ranks));
        };
        const double least = needed({1, 1});
        for (const auto& [ranks, threads] : others)
            if (least <= node_.memory_bytes && needed({ranks, threads}) <= node_.memory_bytes)
                return "it fits with " +
                       (ranks < node_.ranks ? "--ranks " + std::to_string(ranks) : "") +
                       (ranks < node_.ranks && threads < node_.threads ? " and " : "") +
                       (threads < node_.threads ? "--threads " + std::to_string(threads) : "");
        return "with one rank and --threads 1 it needs --memory " + core::memory_setting(least) +
               (!estimate.network    ? ""
                : can_shrink_batch() ? ", or less with a smaller batch_size or fewer layers at once"
                                     : ", or less with fewer layers at once");
    }

    const config::RunRecord& run_;
    PlannedUnit unit_;  ///< without the scores that its files have no layers for
    const models::ModelRecord& model_;
    const NodeSize& node_;
    RecordingsReader& recordings_;
    ProbedNetworks& probed_;
    UnitShape shape_;
    bool has_passes_ = false;
    double extracting_bytes_ = 0;
    double fitting_bytes_ = 0;  ///< of stored features that the PCA is fitted on
};

}  // namespace

std::vector<std::string> estimate_unit(UnitEstimate& estimate, const PlannedUnit& unit,
                                       const EstimateContext& context) {
    UnitEstimator estimator(unit, context);
    estimator.fill(estimate, context.needs_passes);
    return estimator.stimulus_ids();
}

}  // namespace ventral::pipeline

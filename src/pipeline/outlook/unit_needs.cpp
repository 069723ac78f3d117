#include "pipeline/outlook/unit_needs.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/number_text.hpp"
#include "core/private_memory.hpp"
#include "io/disk/direct_writes.hpp"
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

class NeedsOfUnit {
public:
    NeedsOfUnit(const UnitLook& look, const EstimateContext& context)
        : run_(context.run),
          look_(look),
          model_(context.run.models[look.unit.model]),
          node_(context.node),
          recordings_(context.recordings) {}

    void fill(UnitEstimate& estimate) const {
        estimate.stages = stages_with(estimate, {node_.ranks, node_.threads});
        estimate.memory_bytes = of_node(estimate, estimate.stages, node_.ranks);
        for (const auto& stage : estimate.stages)
            estimate.rank_bytes = std::max(estimate.rank_bytes,
                                           stage.of_first_rank() + estimate.program_bytes_a_rank);
        const double start = to_start(estimate, node_.ranks);
        estimate.needed_bytes = std::max(estimate.memory_bytes + beside_passes(node_.ranks), start);
        estimate.can_run = estimate.needed_bytes <= node_.memory_bytes;
        if (!estimate.can_run)
            estimate.add_problem(
                "needs " + core::bytes_text(estimate.needed_bytes) + " of memory on a node with " +
                core::bytes_text(node_.memory_bytes) +
                (estimate.needed_bytes > start
                     ? " (most of it for the " + estimate.largest_stage(node_.ranks).name + ") "
                     : " for its ranks to start, ") +
                cure(estimate));
    }

private:
    /// Network and one worker's pass as the probe has found them, for one trial; beside it that
    /// worker holds the batch's other trials, or its answers turned by time. Of each other worker a
    /// pass (at least two copies of all layers of its batch) and a batch that waits to be written.
    /// What is being written may be held once more, and a coordinate of the widest layer's features
    /// by the first rank, which makes the file.
    MemoryStage extraction(const UnitEstimate& estimate, std::size_t threads) const {
        double all = 0;
        double widest = 0;
        for (const auto& layer : estimate.layers) {
            all += static_cast<double>(layer.features);
            widest = std::max(widest, static_cast<double>(layer.features));
        }
        const double batch = static_cast<double>(models::images_at_once(model_) * look_.copies()) *
                             all * sizeof(float);
        const double beside_pass = look_.copies() > 1 ? batch : 0;
        const double pass = std::max(2 * batch, estimate.network->pass_bytes + beside_pass);
        MemoryStage stage{"passes of the network"};
        stage.a_rank = look_.extracting_bytes + recordings_.kept_bytes() + beside_pass +
                       static_cast<double>(threads - 1) * (batch + pass) +
                       std::min(estimate.activation_bytes,
                                static_cast<double>(io::DirectWrites::memory_bytes)) +
                       static_cast<double>(core::spare_memory);
        stage.first_rank = widest * sizeof(std::int64_t);
        return stage;
    }

    /// Of stored features the model's own are in memory, those that the components are fitted on,
    /// and the layer that is copied out of both; in time bins it is turned, which takes two copies
    /// more.
    MemoryStage projection(const UnitEstimate& estimate) const {
        const std::size_t rows = estimate.stimuli * look_.shape.feature_bins;
        std::size_t widest = 0;
        for (const auto& layer : estimate.layers)
            if (is_projected(model_, layer)) widest = std::max(widest, layer.features);
        MemoryStage stage{"PCA"};
        stage.a_rank = recordings_.kept_bytes();
        stage.first_rank = look_.shape.stored_bytes + look_.shape.stored_reading_bytes;
        if (widest == 0) return stage;
        stage.shared = projection_bytes(estimate.fitting_rows, rows, widest);
        if (estimate.network) return stage;
        const double copies = look_.shape.in_time == InTime::changing ? 3
                              : look_.shape.is_copied()               ? 1
                                                                      : 0;
        stage.first_rank +=
            look_.fitting_bytes + copies * look_.shape.value_bytes *
                                      static_cast<double>((estimate.fitting_rows + rows) * widest);
        return stage;
    }

    /// Projections are stored features too: in float64, the latest of them in memory.
    UnitShape projected_shape() const {
        auto shape = look_.shape;
        const bool none =
            std::none_of(shape.layers.begin(), shape.layers.end(),
                         [&](const auto& layer) { return is_projected(model_, layer); });
        if (none) return shape;
        for (auto& layer : shape.layers)
            if (is_projected(model_, layer)) layer.features = model_.pca->components;
        if (shape.stored_bytes == 0) shape.is_one_layer = true;
        shape.stored_bytes +=
            projection_file_bytes(model_, shape.stimulus_ids.size() * shape.feature_bins);
        shape.value_bytes = sizeof(double);
        return shape;
    }

    std::vector<MemoryStage> stages_with(const UnitEstimate& estimate,
                                         const Workforce& workforce) const {
        auto stages = unit_memory(run_, look_.unit, projected_shape(), recordings_, workforce);
        if (model_.pca) stages.push_back(projection(estimate));
        add_spare_memory(stages, workforce.ranks);
        if (look_.has_passes) stages.push_back(extraction(estimate, workforce.threads));
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
        return look_.has_passes ? static_cast<double>(ranks) * of_a_rank : 0;
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
    std::string cure(const UnitEstimate& estimate) const {
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
    const UnitLook& look_;
    const models::ModelRecord& model_;
    const NodeSize& node_;
    RecordingsReader& recordings_;
};

}  // namespace

bool is_projected(const models::ModelRecord& model, const LayerSize& layer) {
    return model.pca && !stats::passes_through_pca(layer.features, model.pca->components);
}

double projection_file_bytes(const models::ModelRecord& model, std::size_t rows) {
    return sizeof(double) * static_cast<double>(rows * model.pca->components);
}

void add_memory(UnitEstimate& estimate, const UnitLook& look, const EstimateContext& context) {
    NeedsOfUnit(look, context).fill(estimate);
}

}  // namespace ventral::pipeline

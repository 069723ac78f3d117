#include "pipeline/estimate.hpp"

#include <algorithm>
#include <optional>

#include "core/number_text.hpp"
#include "pipeline/fit_memory.hpp"
#include "pipeline/recordings.hpp"
#include "pipeline/stored_features.hpp"
#include "pipeline/time_needs.hpp"
#include "stats/gram.hpp"
#include "stats/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

std::optional<core::Assembly> stored_features_of(const models::ModelRecord& model) {
    if (model.features_file.empty()) return std::nullopt;
    return read_stored(model);
}

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

void add_projection(UnitEstimate& estimate, const models::ModelRecord& model,
                    RecordingsReader& recordings) {
    if (!model.pca) return;
    const std::size_t fitting = recordings.stimuli(model.pca->dataset).stimulus_ids.size();
    std::size_t widest = 0;
    std::size_t all = 0;
    for (const auto& layer : estimate.layers) {
        widest = std::max(widest, layer.features);
        all += layer.features;
    }
    estimate.activation_bytes += static_cast<double>(fitting * all * sizeof(float));
    if (!stats::passes_through_pca(widest, model.pca->components))
        estimate.projection_bytes = projection_bytes(fitting, estimate.stimuli, widest);
}

void add_sizes(UnitEstimate& estimate, const models::ModelRecord& model, const NodeSize& node) {
    const auto n = static_cast<double>(estimate.stimuli);
    double widest = 0;
    double all = 0;
    for (const auto& layer : estimate.layers) {
        widest = std::max(widest, static_cast<double>(layer.features));
        all += static_cast<double>(layer.features);
    }
    const double slab = std::min(widest, static_cast<double>(stats::slab_features));
    const auto rows = static_cast<double>(estimate.gram_rows);
    estimate.gram_bytes = rows * rows * sizeof(double);
    const auto panels =
        stats::gram_sizes(estimate.gram_rows, static_cast<std::size_t>(widest)).scratch();
    estimate.slab_bytes =
        2 * rows * slab * sizeof(float) + static_cast<double>(panels * sizeof(double));
    if (model.features_file.empty()) {
        const auto copies = static_cast<double>(estimate.trials * estimate.time_bins);
        const double batch = static_cast<double>(model.batch_size) * all * sizeof(float) * copies;
        estimate.batch_bytes_a_rank = static_cast<double>(node.threads - 1) *
                                      (batch + std::max(2 * batch, estimate.network->pass_bytes));
        estimate.activation_bytes += n * copies * all * sizeof(float);
    }
    estimate.program_bytes_a_rank = node.program_bytes() - estimate.features_bytes;
    estimate.memory_bytes = estimate.shared_bytes() + estimate.features_bytes +
                            estimate.rank_bytes() * static_cast<double>(node.ranks);
    if (estimate.memory_bytes > node.memory_bytes)
        estimate.problem =
            "needs " + core::bytes_text(estimate.memory_bytes) + " of memory on a node with " +
            core::bytes_text(node.memory_bytes) +
            " (fewer --threads, a smaller batch_size or fewer layers at once need "
            "less; the Gram of " +
            std::to_string(estimate.gram_rows) +
            (estimate.gram_rows > estimate.stimuli ? " stimuli in time bins" : " stimuli") +
            " alone is " + core::bytes_text(estimate.gram_bytes) + ")";
}

}  // namespace

double UnitEstimate::shared_bytes() const {
    return std::max(gram_bytes + std::max(slab_bytes, fit_bytes), projection_bytes);
}

double UnitEstimate::rank_bytes() const {
    return program_bytes_a_rank + std::max(batch_bytes_a_rank, fit_bytes_a_rank);
}

std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node) {
    RecordingsReader recordings(run);
    std::vector<UnitEstimate> estimates;
    for (const auto& unit : plan.units) {
        const auto& model = run.models[unit.model];
        UnitEstimate estimate;
        estimate.model = model.identifier;
        estimate.dataset = unit.dataset;
        estimate.trials = unit.trials;
        if (model.time) estimate.time_bins = model.time->bins.size();
        estimate.scores = unit.scores.size();
        for (const auto& score : unit.scores) estimate.finished += finished.is_done(score.key);
        try {
            node.forget_peak();
            const double before = node.program_bytes();
            const auto stored = stored_features_of(model);
            const auto ids = stored ? core::texts(*stored, "stimulus_id")
                                    : recordings.stimuli(unit.dataset).stimulus_ids;
            TimeNeeds time;
            if (stored) time = time_needs(run, unit, *stored, recordings);
            if (model.time) time = time_needs(run, unit, ids.size(), recordings);
            estimate.stimuli = ids.size();
            estimate.gram_rows = std::max(estimate.stimuli, time.gram_rows);
            if (!stored)
                estimate.network = probe_network(model, recordings.stimuli(unit.dataset),
                                                 unit.layers, node.program_bytes);
            estimate.layers =
                stored ? probe_stored(*stored, unit.layers) : estimate.network->layers;
            if (stored) estimate.features_bytes = node.program_bytes() - before;
            const auto fits =
                fit_memory(run, unit, {ids, estimate.layers}, recordings, node.threads);
            estimate.fit_bytes = fits.shared;
            estimate.fit_bytes_a_rank = fits.a_rank;
            add_projection(estimate, model, recordings);
            add_sizes(estimate, model, node);
            if (estimate.problem.empty()) estimate.problem = time.problem;
        } catch (const std::exception& error) {
            estimate.problem = error.what();
        }
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

}  // namespace ventral::pipeline

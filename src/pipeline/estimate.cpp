#include "pipeline/estimate.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "io/netcdf_assembly.hpp"
#include "pipeline/recordings.hpp"
#include "stats/gram.hpp"

namespace ventral::pipeline {
namespace {

std::size_t stimuli_of(const config::RunRecord& run, const PlannedUnit& unit,
                       RecordingsReader& recordings) {
    const auto& model = run.models[unit.model];
    if (model.features_file.empty()) return recordings.stimuli(unit.dataset).stimulus_ids.size();
    return core::dimension_size(io::read_assembly(model.features_file), "presentation");
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
    estimate.gram_bytes = n * n * sizeof(double);
    const auto panels =
        stats::gram_sizes(estimate.stimuli, static_cast<std::size_t>(widest)).scratch();
    estimate.slab_bytes =
        2 * n * slab * sizeof(float) + static_cast<double>(panels * sizeof(double));
    if (model.features_file.empty()) {
        const auto batches = 2 * node.threads - 1;  // in work, or waiting for the main thread
        estimate.batch_bytes_a_rank =
            static_cast<double>(batches * model.batch_size) * all * sizeof(float);
        estimate.activation_bytes = n * all * sizeof(float);
    }
    estimate.program_bytes_a_rank = node.program_bytes();
    estimate.memory_bytes = estimate.gram_bytes + estimate.slab_bytes +
                            (estimate.batch_bytes_a_rank + estimate.program_bytes_a_rank) *
                                static_cast<double>(node.ranks);
    if (estimate.memory_bytes > node.memory_bytes)
        estimate.problem = "needs " + core::bytes_text(estimate.memory_bytes) +
                           " of memory on a node with " + core::bytes_text(node.memory_bytes) +
                           " (fewer --threads, a smaller batch_size or fewer layers at once need "
                           "less; the Gram of " +
                           std::to_string(estimate.stimuli) + " stimuli alone is " +
                           core::bytes_text(estimate.gram_bytes) + ")";
}

}  // namespace

std::vector<UnitEstimate> estimate_units(const config::RunRecord& run, const RunPlan& plan,
                                         const Finished& finished, const NodeSize& node) {
    RecordingsReader recordings(run);
    std::vector<UnitEstimate> estimates;
    for (const auto& unit : plan.units) {
        const auto& model = run.models[unit.model];
        UnitEstimate estimate;
        estimate.model = model.identifier;
        estimate.dataset = unit.dataset;
        estimate.scores = unit.scores.size();
        for (const auto& score : unit.scores) estimate.finished += finished.is_done(score.key);
        try {
            estimate.stimuli = stimuli_of(run, unit, recordings);
            estimate.layers =
                model.features_file.empty()
                    ? probe_network(model, recordings.stimuli(unit.dataset), unit.layers)
                    : probe_stored(model, unit.layers);
            add_sizes(estimate, model, node);
        } catch (const std::exception& error) {
            estimate.problem = error.what();
        }
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

}  // namespace ventral::pipeline

#include "pipeline/extraction/discarded_files.hpp"

#include <algorithm>
#include <filesystem>

#include "io/disk/entries_of.hpp"
#include "io/out_folder.hpp"
#include "pipeline/extraction/activations_budget.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/keys.hpp"

namespace ventral::pipeline {
namespace {

bool has_file(const UnitFiles& files, const std::filesystem::path& path) {
    return files.prefixes.contains(prefix_in_name(path)) ||
           files.projections.contains(key_in_projection_name(path));
}

}  // namespace

void add_files_of(UnitFiles& files, const PlannedUnit& unit, const config::RunRecord& run,
                  const InputFacts& facts, const std::string& fingerprint) {
    files.prefixes.insert(activations_prefix(unit.key, fingerprint));
    if (unit.projection.empty()) return;
    const auto& model = run.models[unit.model];
    if (!model.pca->dataset.empty())
        files.prefixes.insert(activations_prefix(fitting_key(model, facts), fingerprint));
    for (const auto& layer : unit.layers)
        files.projections.insert(
            projected_layer_key(unit.key, unit.projection, layer, fingerprint));
}

void discard_files(const std::string& out, const UnitFiles& gone, const UnitFiles& kept) {
    for (const auto& path : io::entries_of(io::activations_folder(out))) {
        if (!has_file(gone, path) || has_file(kept, path)) continue;
        std::error_code ignored;
        if (remove_unless_in_use(path.string()) == Removal::no_locks)
            std::filesystem::remove(path, ignored);
    }
}

void discard_finished(const RunPlan& plan, const config::RunRecord& run, const InputFacts& facts,
                      const Finished& finished, const TeamContext& context) {
    if (context.kept.activations == Keep::keep) return;
    UnitFiles gone, kept;
    for (const auto& unit : plan.units) {
        if (unit.scores.empty()) continue;
        const bool is_finished =
            std::all_of(unit.scores.begin(), unit.scores.end(),
                        [&](const auto& score) { return finished.is_done(score.key); });
        add_files_of(is_finished ? gone : kept, unit, run, facts, context.fingerprint);
    }
    discard_files(context.out, gone, kept);
}

}  // namespace ventral::pipeline

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

std::vector<std::string> files_there(const std::string& out, const UnitFiles& of,
                                     const UnitFiles& but_not_of) {
    std::vector<std::string> files;
    for (const auto& path : io::entries_of(io::activations_folder(out)))
        if (has_file(of, path) && !has_file(but_not_of, path)) files.push_back(path.string());
    return files;
}

void remove_files(const std::vector<std::string>& files) {
    for (const auto& path : files) {
        std::error_code ignored;
        if (remove_unless_in_use(path) == Removal::no_locks) std::filesystem::remove(path, ignored);
    }
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
    remove_files(files_there(out, gone, kept));
}

std::vector<std::string> files_of_finished(const std::string& out, const RunPlan& plan,
                                           const config::RunRecord& run, const InputFacts& facts,
                                           const Finished& finished,
                                           const std::string& fingerprint) {
    UnitFiles gone, kept;
    for (const auto& unit : plan.units) {
        if (unit.scores.empty()) continue;
        const bool is_finished =
            std::all_of(unit.scores.begin(), unit.scores.end(),
                        [&](const auto& score) { return finished.is_done(score.key); });
        add_files_of(is_finished ? gone : kept, unit, run, facts, fingerprint);
    }
    return files_there(out, gone, kept);
}

void discard_finished(const RunPlan& plan, const config::RunRecord& run, const InputFacts& facts,
                      const Finished& finished, const TeamContext& context) {
    if (context.kept.activations == Keep::keep) return;
    remove_files(files_of_finished(context.out, plan, run, facts, finished, context.fingerprint));
}

}  // namespace ventral::pipeline

#include "pipeline/plan/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "benchmarks/neural.hpp"
#include "core/add_once.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "metrics/normalisation.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/plan/chosen_layers.hpp"
#include "pipeline/plan/why_impossible.hpp"

namespace ventral::pipeline {
namespace {

ScoreIdentity identity_of(const config::RunRecord& run, const PlannedUnit& unit,
                          const PlannedScore& score) {
    const auto& dataset = run.datasets.at(run.benchmarks[score.benchmark].dataset);
    return {run.models[unit.model].identifier,
            unit.key,
            score.layers,
            run.seed,
            unit.projection,
            dataset.access};
}

/// ", which has V1, V2", if there are any.
std::string there_are(const std::map<std::string, std::vector<std::string>>& regions) {
    std::string names;
    for (const auto& region : regions) core::add_part(names, region.first);
    return names.empty() ? "" : ", which has " + names;
}

core::Failure deterministic(const std::string& reason) {
    return {core::FailureClass::deterministic, reason};
}

/// For each byte of the model's file, four of a float, in what reading a byte takes: some fifty
/// operations. A weight of a network meets each image, in about a hundred places. Stored features
/// are read, and multiplied with those of the other stimuli.
double cost_of_a_byte(double stimuli, bool stored) {
    constexpr double operations = 50;  // a float of a network: 2 x 100 with each image
    return stored ? 1 + stimuli / 4 / operations : stimuli;
}

/// Builds the plan score by score.
class Planner {
public:
    Planner(const config::RunRecord& run, const InputFacts& facts, const Shard& shard)
        : run_(run), facts_(facts), shard_(shard) {}

    void add(std::size_t model, std::size_t benchmark) {
        if (!is_of(run_.models[model], run_.benchmarks[benchmark])) return;
        if (!run_.benchmarks[benchmark].problem.empty()) return refuse(model, benchmark);
        const auto& model_record = run_.models[model];
        const auto& benchmark_record = run_.benchmarks[benchmark];
        const auto& model_facts = facts_.of(model_record);
        auto failure = why_impossible(run_, facts_, model_record, benchmark_record);
        const auto& known = known_of(model_record);
        const auto committed = committed_layers(model_record, known, benchmark_record.region);
        const auto sets = layer_sets(run_, model_record, known, committed);
        const bool network = !has_stored_features(model_record);
        if (!failure && sets.empty())
            failure = deterministic(model_record.origin + ": no layers to score for region '" +
                                    benchmark_record.region + "' (add it to [regions]" +
                                    there_are(model_record.regions) +
                                    ", or choose other layers: layers = \"candidates\" or "
                                    "\"all\" in the run file)");
        PlannedUnit& unit = unit_for(model, benchmark_record);
        if (failure) {
            PlannedScore score{benchmark, {}, true, {}};
            score.key = score_key_of(unit, score);
            fail(unit, score, *failure);
            return;
        }
        for (const auto& layers : sets) {
            PlannedScore score{benchmark, layers, layers == committed, {}};
            score.key = score_key_of(unit, score);
            if (!keys_.insert(score.key).second) continue;  // the layers are listed twice
            const auto reason = network ? "" : absent_layer(model_record, model_facts, layers);
            if (!reason.empty()) {
                fail(unit, score, deterministic(reason));
                continue;
            }
            for (const auto& layer : layers) core::add_once(unit.layers, layer);
            unit.scores.push_back(std::move(score));
        }
    }

    RunPlan finish() {
        std::set<std::size_t> benchmarks;
        const auto shards = shard_of_keys();
        for (auto& [place, unit] : units_) {
            if (unit.scores.empty() || shards.at(unit.key) != shard_.index) continue;
            benchmarks.merge(benchmarks_of(unit));
            plan_.units.push_back(std::move(unit));
        }
        for (const auto benchmark : benchmarks) add_ceiling(benchmark);
        std::stable_sort(plan_.units.begin(), plan_.units.end(),
                         [](const auto& a, const auto& b) { return a.cost > b.cost; });
        return std::move(plan_);
    }

private:
    /// Whether the model's features may be of the benchmark's stimuli. A wrong benchmark has any.
    static bool is_of(const models::ModelRecord& model,
                      const benchmarks::BenchmarkRecord& benchmark) {
        return model.dataset.empty() || !benchmark.problem.empty() ||
               model.dataset == benchmark.dataset;
    }

    const std::vector<std::string>& known_of(const models::ModelRecord& model) {
        const auto [place, is_new] = known_.try_emplace(model.identifier);
        if (is_new) place->second = known_layers(run_, facts_, model);
        return place->second;
    }

    /// Of a wrong benchmark it is not known what stimuli it has.
    void refuse(std::size_t model, std::size_t benchmark) {
        PlannedUnit none;
        none.model = model;
        none.key = core::KeyBuilder().add("model", run_.models[model].identifier).key();
        const auto key = core::KeyBuilder()
                             .add("model", run_.models[model].identifier)
                             .add("benchmark", run_.benchmarks[benchmark].identifier)
                             .key();
        if (!keys_.insert(key).second) return;  // a model of several files of features
        fail(none, {benchmark, {}, true, key}, deterministic(run_.benchmarks[benchmark].problem));
    }

    PlannedUnit& unit_for(std::size_t model, const benchmarks::BenchmarkRecord& benchmark) {
        const auto& record = run_.models[model];
        const auto& facts = facts_.of(record);
        const auto& data = facts_.datasets.at(benchmark.dataset);
        const bool stored = has_stored_features(record);
        const std::string stimuli = stored ? "" : data.stimuli_key;
        const auto trials = trials_of(record, benchmark);
        const auto [place, is_new] = units_.try_emplace({model, stimuli, trials});
        auto& unit = place->second;
        if (!is_new) return unit;
        unit.model = model;
        unit.dataset = benchmark.dataset;
        unit.trials = trials;
        unit.key = activations_key(facts.content_key, stimuli, trials);
        if (record.pca)
            unit.projection = projection_key(
                record,
                stored ? facts.fitting_key : facts_.datasets.at(record.pca->dataset).stimuli_key);
        core::KeyBuilder id;
        id.add("model", record.identifier)
            .add("activations", unit.key)
            .add("projection", unit.projection);
        // One file may be that of several datasets.
        if (!record.dataset.empty()) id.add("dataset", record.dataset);
        unit.id = id.key();
        unit.cost =
            cost_of_a_byte(static_cast<double>(data.stimuli * trials), stored) * facts.weight_bytes;
        return unit;
    }

    /// What is extracted once costs once, so units of one key are dealt as one. A model that cannot
    /// be used is dealt too: where its file can be read, the others are in the same shards.
    std::map<std::string, std::size_t> shard_of_keys() const {
        std::map<std::string, std::size_t> numbers;
        std::vector<double> costs;
        for (const auto& [place, unit] : units_) {
            if (unit.scores.empty()) {
                if (!is_usable(unit.model) && unit.cost > 0) costs.push_back(unit.cost);
            } else if (numbers.try_emplace(unit.key, costs.size()).second) {
                costs.push_back(unit.cost);
            }
        }
        const auto shards = deal_shards(std::move(costs), shard_.count);
        for (auto& [key, number] : numbers) number = shards[number];
        return numbers;
    }

    bool is_usable(std::size_t model) const { return !facts_.of(run_.models[model]).failure; }

    std::string score_key_of(const PlannedUnit& unit, const PlannedScore& score) const {
        const auto& benchmark = run_.benchmarks[score.benchmark];
        const auto& dataset = facts_.datasets.at(benchmark.dataset);
        return score_key(identity_of(run_, unit, score), benchmark, dataset.assembly_keys,
                         dataset.stimuli_key);
    }

    void fail(const PlannedUnit& unit, const PlannedScore& score, const core::Failure& failure) {
        if (hashed_shard(unit.key, shard_.count) != shard_.index) return;
        auto record = planned_record(run_, unit, score);
        record.status = core::ScoreStatus::failed;
        record.failure = failure;
        plan_.impossible.push_back(std::move(record));
    }

    void add_ceiling(std::size_t benchmark) {
        const auto key = ceiling_key_of(run_, facts_, benchmark);
        if (key.empty()) return;
        const auto& record = run_.benchmarks[benchmark];
        const auto [place, is_new] = ceilings_.emplace(key, plan_.ceilings.size());
        if (is_new)
            plan_.ceilings.push_back({benchmark, key, facts_.datasets.at(record.dataset).stimuli});
        if (record.normalisation == metrics::neuroid_wise)
            plan_.ceilings[place->second].neuroids = true;
    }

    const config::RunRecord& run_;
    const InputFacts& facts_;
    Shard shard_;
    /// By model, stimuli and trials.
    std::map<std::tuple<std::size_t, std::string, std::size_t>, PlannedUnit> units_;
    std::map<std::string, std::vector<std::string>> known_;  ///< by identifier: `known_layers`
    std::map<std::string, std::size_t> ceilings_;  ///< where the ceiling of a key is in the plan
    std::set<std::string> keys_;                   ///< of all planned scores
    RunPlan plan_;
};

}  // namespace

std::string layer_text(const config::LayerSet& layers) { return core::joined(layers, "+"); }

std::size_t trials_of(const models::ModelRecord& model,
                      const benchmarks::BenchmarkRecord& benchmark) {
    const bool varies =
        !has_stored_features(model) && (model.require_variance || benchmark.require_variance);
    return varies ? benchmark.number_of_trials : 1;
}

std::string fitting_key(const models::ModelRecord& model, const InputFacts& facts) {
    return activations_key(facts.of(model).content_key,
                           facts.datasets.at(model.pca->dataset).stimuli_key);
}

std::set<std::size_t> benchmarks_of(const PlannedUnit& unit) {
    std::set<std::size_t> benchmarks;
    for (const auto& score : unit.scores) benchmarks.insert(score.benchmark);
    return benchmarks;
}

RunPlan make_plan(const config::RunRecord& run, const InputFacts& facts, const Shard& shard) {
    for (const auto& benchmark : run.benchmarks)
        if (benchmark.problem.empty()) benchmarks::check_supported(benchmark);
    Planner planner(run, facts, shard);
    for (std::size_t model = 0; model < run.models.size(); ++model)
        for (std::size_t benchmark = 0; benchmark < run.benchmarks.size(); ++benchmark)
            planner.add(model, benchmark);
    return planner.finish();
}

std::map<std::string, std::string> score_parts(const config::RunRecord& run,
                                               const InputFacts& facts, const PlannedUnit& unit,
                                               const PlannedScore& score) {
    const auto& benchmark = run.benchmarks[score.benchmark];
    const auto& dataset = facts.datasets.at(benchmark.dataset);
    return score_parts(identity_of(run, unit, score), benchmark, dataset.assembly_keys,
                       dataset.stimuli_key);
}

std::string ceiling_key_of(const config::RunRecord& run, const InputFacts& facts,
                           std::size_t benchmark) {
    const auto& record = run.benchmarks[benchmark];
    if (record.ceiling.is_none()) return {};
    const auto& dataset = facts.datasets.at(record.dataset);
    return ceiling_key(record, dataset.assembly_keys, dataset.stimuli_key);
}

core::ScoreRecord planned_record(const config::RunRecord& run, const PlannedUnit& unit,
                                 const PlannedScore& score) {
    const auto& benchmark = run.benchmarks[score.benchmark];
    core::ScoreRecord record;
    record.key = score.key;
    record.model = run.models[unit.model].identifier;
    record.benchmark = benchmark.identifier;
    record.version = benchmark.version;
    record.parent = benchmark.parent;
    record.region = benchmark.region;
    record.layer = layer_text(score.layers);
    record.committed = score.committed;
    record.normalisation = benchmark.normalisation;
    record.provenance = {{core::config_entry, run.place}};
    return record;
}

}  // namespace ventral::pipeline

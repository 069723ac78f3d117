#include "pipeline/fit/unit_records.hpp"

#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/seconds_since.hpp"
#include "core/text.hpp"
#include "pipeline/fit/join_parts.hpp"
#include "pipeline/fit/score_slices.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/schedule/agreed_failure.hpp"
#include "pipeline/watch/memory_bound.hpp"

namespace ventral::pipeline {
namespace {

/// "0:5 1:5": the folds that each rank of the world computed.
std::string folds_text(const FitOutcome& outcome) {
    std::string text;
    for (const auto& [rank, folds] : outcome.folds_by_rank)
        core::add_part(text, std::to_string(rank) + ":" + std::to_string(folds), " ");
    return text;
}

}  // namespace

const CeilingOutcome* UnitRecords::ceiling_of(const PlannedScore& score) const {
    const auto key = ceiling_key_of(inputs_.run, inputs_.facts, score.benchmark);
    return key.empty() ? nullptr : &inputs_.ceilings.at(key);
}

std::optional<core::CeilingValue> UnitRecords::own_ceiling_of(const PlannedScore& score) const {
    const auto* ceiling = std::get_if<core::CeilingValue>(ceiling_of(score));
    return ceiling ? std::optional(*ceiling) : std::nullopt;
}

core::ScoreRecord UnitRecords::new_record(const PlannedScore& score) const {
    auto record = planned_record(inputs_.run, unit_, score);
    record.provenance = context_.provenance;
    const auto& model = inputs_.facts.of(inputs_.run.models[unit_.model]);
    record.provenance["model_content"] = model.content_key;
    record.provenance.merge(score_parts(inputs_.run, inputs_.facts, unit_, score));
    if (!model.device.empty()) record.provenance["device"] = model.device;
    return record;
}

void UnitRecords::record(const FitTask& task, const FitOutcome& outcome,
                         const FeatureSeconds& seconds) {
    if (task.parts == 1) {
        record_whole(task, outcome, seconds);
        return;
    }
    auto& outcomes = unfinished_[task.planned->key];
    outcomes[task.part] = outcome;
    if (outcomes.size() < task.parts) return;
    std::vector<FitOutcome> parts;
    for (const auto& [part, of_part] : outcomes) parts.push_back(of_part);
    unfinished_.erase(task.planned->key);
    FitTask whole = task;
    whole.plan = &inputs_.recordings.prepared(task.planned->benchmark).plan;
    record_whole(whole, join_parts(whole, parts), seconds);
}

void UnitRecords::record_whole(const FitTask& task, const FitOutcome& outcome,
                               const FeatureSeconds& seconds) {
    if (const auto* failure = std::get_if<core::Failure>(&outcome.score)) {
        fail({task.planned}, inputs_.recordings.public_failure(task.planned->benchmark, *failure));
        return;
    }
    const auto& score = std::get<core::Score>(outcome.score);
    const auto* ceiling = ceiling_of(*task.planned);
    auto record = new_record(*task.planned);
    record.status = core::ScoreStatus::scored;
    try {
        put_score(record, score, ceiling ? &std::get<core::CeilingValue>(*ceiling) : nullptr);
    } catch (const core::InputError& error) {
        fail({task.planned},
             inputs_.recordings.public_failure(task.planned->benchmark, core::failure_of(error)));
        return;
    }
    record.margins = score.margins;
    record.route = score.route;
    record.undefined_neuroids = score.undefined_neuroids;
    record.warnings = score.warnings;
    if (std::isnan(record.value.value_or(0)))
        record.warnings.push_back(
            "the score is NaN (raw value " + core::number_text(score.value) +
            (record.ceiling ? ", ceiling " + core::number_text(record.ceiling->value) : "") + ")");
    record.provenance["folds_by_rank"] = folds_text(outcome);
    note_costs(record, outcome, seconds);
    const auto key = record.key;
    if (journal_) {
        for (const auto& warning : record.warnings)
            core::log_warning(record.model + ", " + record.layer + " on " + record.benchmark +
                              ": " + warning);
        write(std::move(record), task, score);
    }
    settled_.insert(key);
}

void UnitRecords::note_costs(core::ScoreRecord& record, const FitOutcome& outcome,
                             const FeatureSeconds& seconds) const {
    record.timing = {{"fit", outcome.seconds},
                     {"features_and_gram", seconds.gram},
                     {"extraction", seconds.extraction},
                     {"since_unit_began", core::seconds_since(began_)}};
    record.memory = {{"peak", context_.peak_memory ? context_.peak_memory() : 0.0}};
    if (const auto planned = inputs_.finished.estimates.find(unit_.id);
        planned != inputs_.finished.estimates.end()) {
        record.memory["estimate"] = planned->second.memory_bytes;
        record.timing["estimate_of_unit"] = planned->second.seconds;
    }
}

void UnitRecords::write(core::ScoreRecord record, const FitTask& task, const core::Score& score) {
    if (task.restricted) {
        journal_->score(std::move(record), {});
        return;
    }
    for (const auto& dim : score.raw.dims) {
        record.raw_dims.push_back(dim.name);
        record.raw_shape.push_back(dim.size);
    }
    if (record.raw_dims.empty()) {  // a comparison of the whole: there is just its value
        journal_->score(std::move(record), {});
        return;
    }
    if (!task.plan->whole) {
        const auto& benchmark = inputs_.run.benchmarks[task.planned->benchmark];
        const auto& dataset = inputs_.facts.datasets.at(benchmark.dataset);
        auto labels = task.plan->neuroid_coordinates;
        record.raw_labels = ceiling_key(benchmark, dataset.assembly_keys, dataset.stimuli_key);
        if (task.plan->time_bins > 0) {
            record.raw_labels += "-in-time";
            labels.insert(labels.end(), task.plan->time_coordinates.begin(),
                          task.plan->time_coordinates.end());
        }
        journal_->labels(record.raw_labels, labels);
    }
    journal_->score(std::move(record), std::get<std::vector<double>>(score.raw.values));
}

MemoryShare UnitRecords::memory_share() const {
    auto share = context_.memory_share();
    const auto planned = inputs_.finished.estimates.find(unit_.id);
    if (planned != inputs_.finished.estimates.end()) share.expected = planned->second.memory_bytes;
    return share;
}

void UnitRecords::fail(const std::vector<const PlannedScore*>& scores,
                       const core::Failure& failure) {
    for (const auto* score : scores) {
        if (!settled_.insert(score->key).second || !journal_) continue;
        auto record = new_record(*score);
        record.status = core::ScoreStatus::failed;
        record.failure = failure;
        record.ceiling = own_ceiling_of(*score);
        if (failure.failure_class == core::FailureClass::out_of_memory)
            note_memory_bound(record, memory_share());
        log_.add(record);
        journal_->score(std::move(record), {});
    }
}

bool UnitRecords::or_fail(const std::vector<const PlannedScore*>& scores,
                          const std::function<void()>& work) {
    try {
        work();
        return true;
    } catch (const std::exception& error) {
        fail(scores, agreed_failure(error, context_.team));
        return false;
    }
}

}  // namespace ventral::pipeline

#include "pipeline/unit.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <set>

#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "metrics/features.hpp"
#include "metrics/pairing.hpp"
#include "pipeline/fit_parts.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/layer_gram.hpp"
#include "pipeline/memory_bound.hpp"
#include "pipeline/open_layers.hpp"
#include "pipeline/score_slices.hpp"
#include "pipeline/unit_features.hpp"

namespace ventral::pipeline {
namespace {

/// What is fitted together: on the same rows of the Gram of the same layers.
struct FitBatch {
    std::vector<std::size_t> rows;
    std::vector<FitPart> parts;
};

/// The reason alone, the same for any number of ranks.
std::string reason_of(const std::exception& error) {
    const auto* collective = dynamic_cast<const comm::CollectiveError*>(&error);
    return collective ? collective->reason() : error.what();
}

core::FailureClass class_of(const std::exception& error) {
    const auto* collective = dynamic_cast<const comm::CollectiveError*>(&error);
    return collective ? collective->failure_class() : core::failure_class_of(error);
}

/// One unit in work.
class UnitRun {
public:
    UnitRun(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
            TeamContext& context)
        : unit_(unit),
          inputs_(inputs),
          journal_(journal),
          context_(context),
          features_(unit, inputs, context) {}

    void run() {
        std::vector<config::LayerSet> layer_sets;
        for (const auto& score : unit_.scores) {
            if (inputs_.finished.is_done(score.key)) continue;
            if (std::find(layer_sets.begin(), layer_sets.end(), score.layers) == layer_sets.end())
                layer_sets.push_back(score.layers);
        }
        if (layer_sets.empty()) return;
        for (const auto& layers : layer_sets) {
            context_.stop.check(context_.team);
            score_layers(layers);
            if (journal_) journal_->flush();  // what follows may take long before it records
        }
        features_.discard_activations();
        if (journal_) journal_->flush();
    }

private:
    std::vector<const PlannedScore*> open_scores(const config::LayerSet& layers) const {
        std::vector<const PlannedScore*> scores;
        for (const auto& score : unit_.scores)
            if (score.layers == layers && !inputs_.finished.is_done(score.key))
                scores.push_back(&score);
        return scores;
    }

    void score_layers(const config::LayerSet& layers) {
        const auto scores = with_recordings(without_ceiling_failures(open_scores(layers)));
        if (scores.empty()) return;
        gram_seconds_ = 0;
        extraction_seconds_ = 0;
        or_fail(scores, [&] {
            for (const auto& parts : by_time_bins(parts_of(scores)))
                or_fail(scores_of(parts), [&] { score_in_parts(parts, layers); });
        });
    }

    /// Those of the scores that fit the features; the others fail.
    std::vector<FitPart> parts_of(const std::vector<const PlannedScore*>& scores) {
        const auto in_time = features_.in_time();
        std::vector<FitPart> parts;
        for (const auto* score : scores) {
            const auto& metric = inputs_.run.benchmarks[score->benchmark].metric;
            try {
                for (auto& part : fit_parts(*score, inputs_.recordings.prepared(score->benchmark),
                                            metrics::find_metric(metric.name).time, in_time))
                    parts.push_back(std::move(part));
            } catch (const core::InputError& error) {
                fail({score}, core::FailureClass::deterministic, error.what());
            }
        }
        return parts;
    }

    /// Parts in the same time bins.
    void score_in_parts(const std::vector<FitPart>& parts, const config::LayerSet& layers) {
        const auto start = std::chrono::steady_clock::now();
        const double extracted = features_.extraction_seconds();
        LayerGram gram = features_.gram_of(layers, missing_layers(), parts.front().bins);
        gram_seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        extraction_seconds_ += features_.extraction_seconds() - extracted;
        for (const auto& batch : batches(parts, features_.stimulus_ids()))
            fit_batch(batch, layers, gram);
    }

    /// What goes wrong in `work` is the failure of `scores`.
    void or_fail(const std::vector<const PlannedScore*>& scores,
                 const std::function<void()>& work) {
        try {
            work();
        } catch (const core::Interrupted&) {
            throw;
        } catch (const io::JournalError&) {
            throw;
        } catch (const comm::CollectiveError& error) {
            fail(scores, error.failure_class(), error.reason());
        } catch (const std::exception& error) {
            if (context_.team.size() > 1) throw;  // not agreed on: the others would wait
            fail(scores, core::failure_class_of(error), error.what());
        }
    }

    /// All layers whose scores are still open: extracted in one pass. Collective.
    std::vector<OpenLayer> missing_layers() {
        const auto in_time = features_.in_time();
        std::vector<OpenLayer> layers;
        comm::run_collectively(context_.team, [&] {
            layers = open_layers(inputs_.run, unit_, inputs_.finished, inputs_.recordings, in_time);
        });
        return layers;
    }

    std::vector<const PlannedScore*> without_ceiling_failures(
        const std::vector<const PlannedScore*>& scores) {
        std::vector<const PlannedScore*> good;
        for (const auto* score : scores) {
            const auto* failure = std::get_if<core::Failure>(ceiling_of(*score));
            if (failure)
                fail({score}, failure->failure_class, failure->reason);
            else
                good.push_back(score);
        }
        return good;
    }

    /// Those whose recordings can be scored: better known before the network runs than after.
    std::vector<const PlannedScore*> with_recordings(
        const std::vector<const PlannedScore*>& scores) {
        const auto time = context_.time(Stage::io);
        std::vector<const PlannedScore*> good;
        for (const auto* score : scores) {
            try {
                comm::run_collectively(context_.team,
                                       [&] { inputs_.recordings.prepared(score->benchmark); });
                good.push_back(score);
            } catch (const std::exception& error) {
                fail({score}, class_of(error),
                     inputs_.recordings.public_reason(score->benchmark, reason_of(error)));
            }
        }
        return good;
    }

    /// The ceiling's outcome; without a ceiling a value of 1 that nothing reads.
    const CeilingOutcome* ceiling_of(const PlannedScore& score) const {
        static const CeilingOutcome none = core::CeilingValue{1.0, {}};
        const auto& benchmark = inputs_.run.benchmarks[score.benchmark];
        if (benchmark.ceiling.name == "none") return &none;
        const auto& dataset = inputs_.facts.datasets.at(benchmark.dataset);
        return &inputs_.ceilings.at(
            ceiling_key(benchmark, dataset.assembly_keys, dataset.stimuli_key));
    }

    /// Groups parts by the rows that their benchmarks use; those that do not fit the stimuli fail.
    std::vector<FitBatch> batches(const std::vector<FitPart>& parts,
                                  const std::vector<std::string>& ids) {
        std::vector<FitBatch> found;
        for (const auto& part : parts) {
            std::vector<std::size_t> rows;
            try {
                comm::run_collectively(context_.team, [&] {
                    metrics::naming(compared_files(part.score->benchmark),
                                    [&] { rows = rows_of(part, ids); });
                });
            } catch (const std::exception& error) {
                fail({part.score}, class_of(error),
                     inputs_.recordings.public_reason(part.score->benchmark, reason_of(error)));
                continue;
            }
            const auto same = std::find_if(found.begin(), found.end(),
                                           [&](const auto& batch) { return batch.rows == rows; });
            if (same != found.end())
                same->parts.push_back(part);
            else
                found.push_back({rows, {part}});
        }
        return found;
    }

    /// Where the ids of the features and those of the recordings come from.
    std::string compared_files(std::size_t benchmark) const {
        const auto& model = inputs_.run.models[unit_.model];
        const std::string& source = model.features_file.empty()
                                        ? inputs_.run.datasets.at(unit_.dataset).stimuli.csv.path
                                        : model.features_file;
        return source + " and " + inputs_.recordings.target_file(benchmark);
    }

    void fit_batch(const FitBatch& batch, const config::LayerSet& layers, LayerGram& gram) {
        std::vector<FitTask> tasks;
        for (const auto& part : batch.parts)
            tasks.push_back(
                {part.score, part.plan.get(), &inputs_.run.benchmarks[part.score->benchmark].metric,
                 inputs_.recordings.is_restricted(part.score->benchmark), part.part, part.parts});
        const auto& bins = batch.parts.front().bins;
        const auto read_columns = [&] {
            return features_.columns_of(layers, missing_layers(), bins);
        };
        std::optional<FeatureColumns> columns;
        if (needs_columns(tasks, gram)) columns = read_columns();
        if (needs_reduced(tasks, gram))
            make_reduced(gram, columns ? *columns : read_columns(), context_);
        const auto lossy = record_unless_lossy(tasks, fit_on(batch.rows, gram, columns, tasks));
        if (lossy.empty()) return;
        std::vector<const PlannedScore*> scores;
        for (const auto& task : lossy) scores.push_back(task.planned);
        or_fail(scores, [&] {
            if (!columns) columns = read_columns();
            if (gram.reduced.empty() && any_fits(lossy)) make_reduced(gram, *columns, context_);
            const auto outcomes = fit_on(batch.rows, gram, columns, lossy);
            for (std::size_t t = 0; t < lossy.size(); ++t) record(lossy[t], outcomes[t]);
        });
    }

    std::vector<FitOutcome> fit_on(const std::vector<std::size_t>& rows, const LayerGram& gram,
                                   const std::optional<FeatureColumns>& columns,
                                   const std::vector<FitTask>& tasks) {
        std::optional<LayerGram> gathered;
        if (!is_identity(rows, gram.rows)) gathered = gather_rows(gram, rows, context_);
        auto forms = forms_of(gathered ? *gathered : gram);
        if (columns) forms.open = [&] { return columns->reader(rows); };
        forms.given_order = metrics::given_order(rows);
        auto outcomes = fit_scores(tasks, forms, inputs_.finished, journal_, context_);
        context_.team.barrier();  // nobody leaves the Gram while another still reads it
        return outcomes;
    }

    /// Records what is done; returns the tasks whose Gram has lost digits that the features have.
    std::vector<FitTask> record_unless_lossy(const std::vector<FitTask>& tasks,
                                             const std::vector<FitOutcome>& outcomes) {
        std::vector<FitTask> lossy;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            if (outcomes[t].needs_features && !tasks[t].metric->gram_only)
                lossy.push_back(tasks[t]);
            else
                record(tasks[t], outcomes[t]);
        }
        return lossy;
    }

    static bool needs_columns(const std::vector<FitTask>& tasks, const LayerGram& gram) {
        return std::any_of(tasks.begin(), tasks.end(), [&](const FitTask& task) {
            return metrics::needs_columns(metrics::find_metric(task.metric->name),
                                          task.plan->stimulus_ids.size(), gram.features);
        });
    }

    /// Comparisons take the columns where regressions take the reduced features.
    static bool any_fits(const std::vector<FitTask>& tasks) {
        return std::any_of(tasks.begin(), tasks.end(), [](const FitTask& task) {
            return metrics::find_metric(task.metric->name).needs !=
                   metrics::FeaturesNeeded::columns_if_few;
        });
    }

    static bool needs_reduced(const std::vector<FitTask>& tasks, const LayerGram& gram) {
        return gram.reduced.empty() &&
               std::any_of(tasks.begin(), tasks.end(), [](const FitTask& task) {
                   return metrics::find_metric(task.metric->name).needs ==
                          metrics::FeaturesNeeded::reduced;
               });
    }

    static bool is_identity(const std::vector<std::size_t>& rows, std::size_t size) {
        if (rows.size() != size) return false;
        for (std::size_t i = 0; i < size; ++i)
            if (rows[i] != i) return false;
        return true;
    }

    core::ScoreRecord new_record(const PlannedScore& score) const {
        auto record = planned_record(inputs_.run, unit_, score);
        record.provenance = context_.provenance;
        const auto& model = inputs_.facts.models.at(record.model);
        record.provenance["model_content"] = model.content_key;
        record.provenance.merge(score_parts(inputs_.run, inputs_.facts, unit_, score));
        if (!model.device.empty()) record.provenance["device"] = model.device;
        return record;
    }

    /// A score of several parts once the last of them has come.
    void record(const FitTask& task, const FitOutcome& outcome) {
        if (task.parts == 1) {
            record_whole(task, outcome);
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
        record_whole(whole, join_parts(*whole.plan, parts));
    }

    void record_whole(const FitTask& task, const FitOutcome& outcome) {
        if (const auto* failure = std::get_if<core::Failure>(&outcome.score)) {
            fail({task.planned}, failure->failure_class,
                 inputs_.recordings.public_reason(task.planned->benchmark, failure->reason));
            return;
        }
        const auto& score = std::get<core::Score>(outcome.score);
        const auto& benchmark = inputs_.run.benchmarks[task.planned->benchmark];
        const auto& ceiling = std::get<core::CeilingValue>(*ceiling_of(*task.planned));
        auto record = new_record(*task.planned);
        record.status = core::ScoreStatus::scored;
        try {
            put_score(record, score, benchmark.ceiling.name == "none" ? nullptr : &ceiling);
        } catch (const core::InputError& error) {
            fail({task.planned}, core::FailureClass::deterministic, error.what());
            return;
        }
        record.margins = score.margins;
        record.route = score.route;
        record.undefined_neuroids = score.undefined_neuroids;
        record.warnings = score.warnings;
        record.provenance["folds_by_rank"] = folds_text(outcome);
        record.timing = {{"fit", outcome.seconds},
                         {"features_and_gram", gram_seconds_},
                         {"extraction", extraction_seconds_}};
        record.memory = {{"peak", context_.peak_memory ? context_.peak_memory() : 0.0}};
        if (const auto planned = inputs_.finished.estimates.find(unit_.key);
            planned != inputs_.finished.estimates.end()) {
            record.memory["estimate"] = planned->second.memory_bytes;
            record.timing["estimate_of_unit"] = planned->second.seconds;
        }
        if (!journal_) return;
        for (const auto& warning : score.warnings)
            core::log_warning(record.model + ", " + record.layer + " on " + record.benchmark +
                              ": " + warning);
        write(std::move(record), task, score);
    }

    void write(core::ScoreRecord record, const FitTask& task, const core::Score& score) {
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

    MemoryShare memory_share() const {
        MemoryShare share{context_.memory_bound, static_cast<std::size_t>(context_.team.size()),
                          context_.workers.threads()};
        const auto planned = inputs_.finished.estimates.find(unit_.key);
        if (planned != inputs_.finished.estimates.end())
            share.expected = planned->second.memory_bytes;
        return share;
    }

    void fail(const std::vector<const PlannedScore*>& scores, core::FailureClass failure_class,
              const std::string& reason) {
        for (const auto* score : scores) {
            if (!failed_.insert(score->key).second || !journal_) continue;
            auto record = new_record(*score);
            record.status = core::ScoreStatus::failed;
            record.failure = core::Failure{failure_class, reason};
            if (failure_class == core::FailureClass::out_of_memory)
                note_memory_bound(record, memory_share());
            core::log_error(record.model + ", " + record.layer + " on " + record.benchmark +
                            " failed: " + record.failure->reason);
            journal_->score(std::move(record), {});
        }
    }

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    RunJournal* journal_;
    TeamContext& context_;
    UnitFeatures features_;
    double gram_seconds_ = 0;        ///< of the layers in work, with the network if it ran
    double extraction_seconds_ = 0;  ///< what the network took of it
    /// Of scores that are fitted in parts: key → part → what became of it.
    std::map<std::string, std::map<std::size_t, FitOutcome>> unfinished_;
    std::set<std::string> failed_;
};

}  // namespace

void score_unit(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
                TeamContext& context) {
    std::set<std::size_t> benchmarks;
    for (const auto& score : unit.scores) benchmarks.insert(score.benchmark);
    inputs.recordings.make_room(benchmarks);
    UnitRun(unit, inputs, journal, context).run();
    core::give_back_freed_memory();
}

}  // namespace ventral::pipeline

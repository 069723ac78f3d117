#include "pipeline/unit.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "comm/run_collectively.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "core/time_bin.hpp"
#include "metrics/features.hpp"
#include "metrics/pairing.hpp"
#include "pipeline/extraction/open_layers.hpp"
#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/fit/layer_gram.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/fit/unit_records.hpp"
#include "pipeline/inputs/shared_recordings.hpp"
#include "pipeline/journal/failure_of.hpp"
#include "pipeline/plan/fit_parts.hpp"

namespace ventral::pipeline {
namespace {

/// What is fitted together: on the same rows of the same layers.
struct FitBatch {
    std::vector<std::size_t> rows;
    std::vector<FitPart> parts;
};

/// One unit in work.
class UnitRun {
public:
    UnitRun(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
            TeamContext& context)
        : unit_(unit),
          inputs_(inputs),
          journal_(journal),
          context_(context),
          features_(unit, inputs, context),
          records_(unit, inputs, journal, context) {}

    void run() {
        std::vector<config::LayerSet> layer_sets;
        for (const auto& score : unit_.scores) {
            if (inputs_.finished.is_done(score.key)) continue;
            if (std::find(layer_sets.begin(), layer_sets.end(), score.layers) == layer_sets.end())
                layer_sets.push_back(score.layers);
        }
        if (layer_sets.empty()) return end();
        for (const auto& layers : layer_sets) {
            context_.stop.check(context_.team);
            is_last_layer_set_ = &layers == &layer_sets.back();
            score_layers(layers);
            if (journal_) journal_->flush();  // what follows may take long before it records
        }
        features_.discard_activations();
        if (journal_) journal_->flush();
        end();
    }

private:
    void end() {
        if (context_.ahead) context_.ahead->end_unit(unit_.key);
    }

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
        seconds_ = {};
        or_fail(scores, [&] {
            for (const auto& group : by_gram(parts_of(scores), inputs_.run))
                or_fail(scores_of(group.parts), [&] { score_group(group, layers); });
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
                records_.fail({score}, core::failure_class_of(error), error.what());
            }
        }
        return parts;
    }

    /// What `make` gives, whose time counts as the layers'.
    template <typename Make>
    auto in_gram_seconds(const Make& make) {
        const auto start = std::chrono::steady_clock::now();
        const double extracted = features_.extraction_seconds();
        auto made = make();
        seconds_.gram += core::seconds_since(start);
        seconds_.extraction += features_.extraction_seconds() - extracted;
        return made;
    }

    void score_group(const PartsTogether& group, const config::LayerSet& layers) {
        // What does not fit the stimuli is better known before the network runs than after.
        const auto together = batches(group.parts, features_.stimulus_ids());
        if (together.empty()) return;
        const auto& bins = group.parts.front().bins;
        if (group.needs_gram)
            score_on_gram(together, layers, bins);
        else
            score_on_features(together, layers, bins);
    }

    void score_on_gram(const std::vector<FitBatch>& together, const config::LayerSet& layers,
                       const core::TimeBins& bins) {
        LayerGram gram =
            in_gram_seconds([&] { return features_.gram_of(layers, missing_layers(), bins); });
        for (const auto& batch : together) {
            if (is_last_layer_set_ && &batch == &together.back()) begin_tail(batch, gram);
            or_fail(scores_of(batch.parts), [&] { fit_batch(batch, layers, gram); });
        }
    }

    void score_on_features(const std::vector<FitBatch>& together, const config::LayerSet& layers,
                           const core::TimeBins& bins) {
        const auto columns = in_gram_seconds([&] {
            return features_.columns_of(layers, missing_layers(), bins,
                                        UnitFeatures::PassFor::needed);
        });
        for (const auto& batch : together)
            or_fail(scores_of(batch.parts), [&] {
                const auto tasks = tasks_of(batch);
                const auto outcomes =
                    fit_on({stats::Kernel(), columns.features()}, batch.rows, &columns, tasks);
                for (std::size_t t = 0; t < tasks.size(); ++t)
                    records_.record(tasks[t], outcomes[t], seconds_);
            });
    }

    /// Only where all that these fits keep in memory is known: not of features that change in time,
    /// are stored or are used themselves.
    void begin_tail(const FitBatch& batch, const LayerGram& gram) {
        const auto& model = inputs_.run.models[unit_.model];
        const bool is_known = model.features_file.empty() && !model.pca && !model.time;
        const auto tasks = tasks_of(batch);
        const auto needs_more = [&](const FitTask& task) {
            return needs_columns(task, gram) || needs_reduced(task, gram);
        };
        if (!context_.ahead || !is_known || std::any_of(tasks.begin(), tasks.end(), needs_more))
            return;
        const auto forms =
            static_cast<double>(gram.kernel.size_bytes() + gram.reduced.size_bytes());
        // Of few features a Gram of gathered rows has up to twice their size.
        const double gathered = gram.kernel.empty() ? 4 : 2;
        context_.ahead->begin_tail(is_identity(batch.rows, gram.rows) ? forms : gathered * forms);
    }

    /// What goes wrong in `work` is the failure of `scores`. False then.
    bool or_fail(const std::vector<const PlannedScore*>& scores,
                 const std::function<void()>& work) {
        try {
            work();
            return true;
        } catch (const std::exception& error) {
            const auto failure = agreed_failure(error, context_.team);
            records_.fail(scores, failure.failure_class, failure.reason);
            return false;
        }
    }

    /// All layers whose scores are still open: extracted in one pass. Collective.
    std::vector<OpenLayer> missing_layers() {
        const auto in_time = features_.in_time();
        if (in_time == InTime::changing)
            for (const auto& score : unit_.scores)
                if (!inputs_.finished.is_done(score.key)) failure_of_recordings(score);
        std::vector<OpenLayer> layers;
        comm::run_collectively(context_.team, [&] {
            layers = open_layers(inputs_.run, unit_, inputs_.finished, inputs_.recordings, in_time);
        });
        return layers;
    }

    /// Why these recordings cannot be scored, if so: better known before the network runs than
    /// after. Collective.
    std::optional<core::Failure> failure_of_recordings(const PlannedScore& score) {
        const auto time = context_.time(Stage::io);
        try {
            prepare_together(inputs_.recordings, score.benchmark, context_.team);
            return std::nullopt;
        } catch (const std::exception& error) {
            return agreed_failure(error, context_.team);
        }
    }

    std::vector<const PlannedScore*> without_ceiling_failures(
        const std::vector<const PlannedScore*>& scores) {
        std::vector<const PlannedScore*> good;
        for (const auto* score : scores) {
            const auto* failure = std::get_if<core::Failure>(records_.ceiling_of(*score));
            if (failure)
                records_.fail({score}, failure->failure_class, failure->reason);
            else
                good.push_back(score);
        }
        return good;
    }

    std::vector<const PlannedScore*> with_recordings(
        const std::vector<const PlannedScore*>& scores) {
        std::vector<const PlannedScore*> good;
        for (const auto* score : scores) {
            if (const auto failure = failure_of_recordings(*score))
                records_.fail({score}, failure->failure_class,
                              inputs_.recordings.public_reason(score->benchmark, failure->reason));
            else
                good.push_back(score);
        }
        return good;
    }

    /// Groups parts by the rows that their benchmarks use; those that do not fit the stimuli fail.
    std::vector<FitBatch> batches(const std::vector<FitPart>& parts,
                                  const std::vector<std::string>& ids) {
        std::vector<FitBatch> found;
        for (const auto& part : parts) {
            std::vector<std::size_t> rows;
            const auto files =
                compared_files(inputs_.run, unit_, inputs_.recordings, part.score->benchmark);
            try {
                const auto labels = labels_for(part);
                comm::run_collectively(context_.team, [&] {
                    core::naming(files, [&] {
                        rows = rows_of(part, ids);
                        check_labels(part, ids, labels);
                    });
                });
            } catch (const std::exception& error) {
                const auto [failure_class, reason] = agreed_failure(error, context_.team);
                records_.fail({part.score}, failure_class,
                              inputs_.recordings.public_reason(part.score->benchmark, reason));
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

    /// The features' labels that are to be those of the recordings. Collective.
    metrics::SplitLabels labels_for(const FitPart& part) {
        if (part.prepared->split_labels.empty()) return {};
        return features_.split_labels(inputs_.run.benchmarks[part.score->benchmark]);
    }

    std::vector<FitTask> tasks_of(const FitBatch& batch) const {
        std::vector<FitTask> tasks;
        for (const auto& part : batch.parts)
            tasks.push_back(
                {part.score, part.plan.get(), &inputs_.run.benchmarks[part.score->benchmark].metric,
                 inputs_.recordings.is_restricted(part.score->benchmark), part.part, part.parts});
        return tasks;
    }

    void fit_batch(const FitBatch& batch, const config::LayerSet& layers, LayerGram& gram) {
        auto tasks = tasks_of(batch);
        const auto& bins = batch.parts.front().bins;
        const auto read_columns = [&] {
            return features_.columns_of(layers, missing_layers(), bins);
        };
        std::optional<FeatureColumns> columns;
        // Those that lack what they need cost the others nothing: these still have their Gram.
        without_failed(
            tasks, [&](const FitTask& task) { return needs_columns(task, gram); },
            [&] { columns = read_columns(); });
        without_failed(
            tasks, [&](const FitTask& task) { return needs_reduced(task, gram); },
            [&] { reduce(gram, columns ? *columns : read_columns()); });
        if (tasks.empty()) return;
        const auto lossy = record_unless_lossy(tasks, fit_on(batch.rows, gram, columns, tasks));
        if (lossy.empty()) return;
        if (context_.ahead) context_.ahead->drop();  // memory is for the features now
        or_fail(planned_of(lossy), [&] {
            if (!columns) columns = read_columns();
            if (gram.reduced.empty() && any_fits(lossy)) reduce(gram, *columns);
            const auto outcomes = fit_on(batch.rows, gram, columns, lossy);
            for (std::size_t t = 0; t < lossy.size(); ++t)
                records_.record(lossy[t], outcomes[t], seconds_);
        });
    }

    void reduce(LayerGram& gram, const FeatureColumns& columns) {
        make_reduced(gram, columns, context_, [&] { features_.require_unchanged(); });
    }

    std::vector<FitOutcome> fit_on(const std::vector<std::size_t>& rows, const LayerGram& gram,
                                   const std::optional<FeatureColumns>& columns,
                                   const std::vector<FitTask>& tasks) {
        std::optional<LayerGram> gathered;
        if (!is_identity(rows, gram.rows)) gathered = gather_rows(gram, rows, context_);
        return fit_on(forms_of(gathered ? *gathered : gram), rows, columns ? &*columns : nullptr,
                      tasks);
    }

    std::vector<FitOutcome> fit_on(metrics::FeatureForms forms,
                                   const std::vector<std::size_t>& rows,
                                   const FeatureColumns* columns,
                                   const std::vector<FitTask>& tasks) {
        if (columns) forms.open = [&] { return columns->reader(rows); };
        forms.given_order = metrics::given_order(rows);
        FitJournal journal{journal_};
        if (columns)
            journal.keeps_groups = [&, good = true]() mutable {
                return good = good && features_.are_unchanged();
            };
        auto outcomes = fit_scores(tasks, forms, inputs_.finished, journal, context_);
        context_.team.barrier();  // nobody leaves the Gram while another still reads it
        if (columns) features_.require_unchanged();
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
                records_.record(tasks[t], outcomes[t], seconds_);
        }
        return lossy;
    }

    static bool needs_columns(const FitTask& task, const LayerGram& gram) {
        return metrics::needs_columns(metrics::find_metric(task.metric->name),
                                      task.plan->stimulus_ids.size(), gram.features);
    }

    static bool needs_reduced(const FitTask& task, const LayerGram& gram) {
        return gram.reduced.empty() &&
               metrics::find_metric(task.metric->name).needs == metrics::FeaturesNeeded::reduced;
    }

    /// Comparisons take the columns where regressions take the reduced features.
    static bool any_fits(const std::vector<FitTask>& tasks) {
        return std::any_of(tasks.begin(), tasks.end(), [](const FitTask& task) {
            return metrics::find_metric(task.metric->name).needs !=
                   metrics::FeaturesNeeded::columns_if_few;
        });
    }

    static std::vector<const PlannedScore*> planned_of(const std::vector<FitTask>& tasks) {
        std::vector<const PlannedScore*> scores;
        for (const auto& task : tasks) scores.push_back(task.planned);
        return scores;
    }

    /// Does `work` if `which` of the tasks want it; if it fails they fail, and are taken out.
    template <typename Which, typename Work>
    void without_failed(std::vector<FitTask>& tasks, const Which& which, const Work& work) {
        std::vector<FitTask> wanting;
        std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(wanting), which);
        if (!wanting.empty() && !or_fail(planned_of(wanting), work)) std::erase_if(tasks, which);
    }

    static bool is_identity(const std::vector<std::size_t>& rows, std::size_t size) {
        if (rows.size() != size) return false;
        for (std::size_t i = 0; i < size; ++i)
            if (rows[i] != i) return false;
        return true;
    }

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    RunJournal* journal_;
    TeamContext& context_;
    UnitFeatures features_;
    UnitRecords records_;
    FeatureSeconds seconds_;  ///< of the layers in work
    bool is_last_layer_set_ = false;
};

}  // namespace

void score_unit(const PlannedUnit& unit, const UnitInputs& inputs, RunJournal* journal,
                TeamContext& context) {
    inputs.recordings.turn_to(benchmarks_of(unit));
    UnitRun(unit, inputs, journal, context).run();
    context.team.give_back_spare_memory();
    core::give_back_freed_memory();
}

}  // namespace ventral::pipeline

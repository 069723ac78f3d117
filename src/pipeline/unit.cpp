#include "pipeline/unit.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "comm/run_collectively.hpp"
#include "core/add_once.hpp"
#include "core/allocator.hpp"
#include "core/errors.hpp"
#include "core/seconds_since.hpp"
#include "core/time_bin.hpp"
#include "models/time_bins.hpp"
#include "pipeline/extraction/open_layers.hpp"
#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/fit/batch_fits.hpp"
#include "pipeline/fit/layer_gram.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/fit/unit_records.hpp"
#include "pipeline/inputs/shared_recordings.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/schedule/agreed_failure.hpp"

namespace ventral::pipeline {
namespace {

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
          records_(unit, inputs, journal, context),
          fits_(inputs, journal, context, features_, records_) {}

    void run() {
        std::vector<config::LayerSet> layer_sets;
        for (const auto& score : unit_.scores) {
            if (inputs_.finished.is_done(score.key)) continue;
            core::add_once(layer_sets, score.layers);
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
        records_.or_fail(scores, [&] {
            for (const auto& group : by_gram(parts_of(scores), inputs_.run))
                records_.or_fail(scores_of(group.parts), [&] { score_group(group, layers); });
        });
    }

    /// Those of the scores that fit the features, or what a network's record says of its time bins;
    /// the others fail.
    std::vector<FitPart> parts_of(const std::vector<const PlannedScore*>& scores) {
        const auto in_time = features_.in_time();
        const auto& answers = inputs_.run.models[unit_.model].time;
        std::vector<FitPart> parts;
        for (const auto* score : scores) {
            const auto& metric = inputs_.run.benchmarks[score->benchmark].metric;
            try {
                auto fitting = fit_parts(*score, inputs_.recordings.prepared(score->benchmark),
                                         metrics::find_metric(metric.name).time, in_time);
                for (const auto& part : fitting)
                    if (answers && in_time == InTime::changing)
                        models::covering_weights("the model's features", answers->bins, part.bins,
                                                 models::TimeAlignment::portion);
                std::move(fitting.begin(), fitting.end(), std::back_inserter(parts));
            } catch (const core::InputError& error) {
                records_.fail({score}, core::failure_of(error));
            }
        }
        return parts;
    }

    /// What `make` gives, whose time counts as the layers'. A pass of the network for layers that
    /// fail counts as that of the next ones.
    template <typename Make>
    auto in_gram_seconds(const Make& make) {
        const auto start = std::chrono::steady_clock::now();
        const double before = features_.extraction_seconds();
        try {
            auto made = make();
            const double left_over = std::exchange(left_by_failed_, 0);
            seconds_.gram += left_over + core::seconds_since(start);
            seconds_.extraction += left_over + features_.extraction_seconds() - before;
            return made;
        } catch (...) {
            left_by_failed_ += features_.extraction_seconds() - before;
            throw;
        }
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
        const auto read_columns = [&] {
            return features_.columns_of(layers, missing_layers(), bins);
        };
        for (const auto& batch : together) {
            if (is_last_layer_set_ && &batch == &together.back()) begin_tail(batch, gram);
            records_.or_fail(scores_of(batch.parts),
                             [&] { fits_.fit_on_gram(batch, gram, read_columns, seconds_); });
        }
    }

    void score_on_features(const std::vector<FitBatch>& together, const config::LayerSet& layers,
                           const core::TimeBins& bins) {
        const auto columns = in_gram_seconds([&] {
            return features_.columns_of(layers, missing_layers(), bins,
                                        UnitFeatures::PassFor::needed);
        });
        for (const auto& batch : together)
            records_.or_fail(scores_of(batch.parts),
                             [&] { fits_.fit_on_columns(batch, columns, seconds_); });
    }

    /// Only where all that these fits keep in memory is known: not of features that change in time,
    /// are stored or are used themselves.
    void begin_tail(const FitBatch& batch, const LayerGram& gram) {
        const auto& model = inputs_.run.models[unit_.model];
        const bool is_known = !has_stored_features(model) && !model.pca && !model.time;
        if (!context_.ahead || !is_known || !fits_.needs_gram_alone(batch, gram)) return;
        const auto forms =
            static_cast<double>(gram.kernel.size_bytes() + gram.reduced.size_bytes());
        // Of few features a Gram of gathered rows has up to twice their size.
        const double gathered = gram.kernel.empty() ? 4 : 2;
        context_.ahead->begin_tail(takes_all_rows(batch, gram) ? forms : gathered * forms);
    }

    /// All layers whose scores were open at the unit's start: extracted in one pass. Collective.
    const std::vector<OpenLayer>& missing_layers() {
        const auto in_time = features_.in_time();
        if (!missing_layers_.empty() && in_time == InTime::still) return missing_layers_;
        if (in_time == InTime::changing)
            for (const auto& score : unit_.scores)
                if (!inputs_.finished.is_done(score.key)) failure_of_recordings(score);
        std::vector<OpenLayer> layers;
        comm::run_collectively(context_.team, [&] {
            layers = open_layers(inputs_.run, unit_, inputs_.finished, inputs_.recordings, in_time);
        });
        missing_layers_ = std::move(layers);  // on all ranks, or on none
        return missing_layers_;
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
                records_.fail({score}, *failure);
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
                records_.fail({score},
                              inputs_.recordings.public_failure(score->benchmark, *failure));
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
                        rows =
                            rows_of(part, ids, stimuli_stated_by(inputs_.run.models[unit_.model]));
                        check_labels(part, ids, labels);
                    });
                });
            } catch (const std::exception& error) {
                records_.fail({part.score},
                              inputs_.recordings.public_failure(
                                  part.score->benchmark, agreed_failure(error, context_.team)));
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

    const PlannedUnit& unit_;
    const UnitInputs& inputs_;
    RunJournal* journal_;
    TeamContext& context_;
    UnitFeatures features_;
    UnitRecords records_;
    BatchFits fits_;
    FeatureSeconds seconds_;                 ///< of the layers in work
    double left_by_failed_ = 0;              ///< seconds of passes that no layer has yet
    std::vector<OpenLayer> missing_layers_;  ///< once they are asked for
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

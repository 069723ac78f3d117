#pragma once
/// @file
/// The fits that a score is made of: one, or one for each time bin where the features change in
/// time and the metric takes bins apart. Where they do not, one fit on one Gram does for all bins.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/pairing.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/inputs/recordings.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct FitPart {
    const PlannedScore* score = nullptr;
    const PreparedBenchmark* prepared = nullptr;
    std::shared_ptr<const metrics::RegressionPlan> plan;
    std::size_t part = 0;
    std::size_t parts = 1;
    /// The bins whose features, one bin after the other, are the rows of the Gram; empty: the
    /// features are the same in every bin.
    core::TimeBins bins;
};

/// Whether features differ between time bins.
enum class InTime { still, changing };

/// `prepared` must outlive the parts. Throws `core::InputError` for features that change and
/// recordings without a time.
std::vector<FitPart> fit_parts(const PlannedScore& score, const PreparedBenchmark& prepared,
                               metrics::TimeForm time, InTime features);

/// The bins of each Gram that such a score is fitted on; one without bins where they do not change,
/// nothing where they do and the recordings cannot be scored.
std::optional<std::vector<core::TimeBins>> gram_bins(const config::RunRecord& run,
                                                     const PlannedScore& score,
                                                     RecordingsReader& recordings, InTime features);

/// Parts in the same time bins, and so on the same Gram, or all on the features alone.
struct PartsTogether {
    bool needs_gram = true;
    std::vector<FitPart> parts;
};

/// First those whose metric looks at the features alone: they need no Gram, and do not fail with
/// it. Else in order of first appearance.
std::vector<PartsTogether> by_gram(const std::vector<FitPart>& parts, const config::RunRecord& run);

std::vector<const PlannedScore*> scores_of(const std::vector<FitPart>& parts);

/// The rows of the features that the part's plan is about, `ids` being the stimuli of the features.
/// Throws `core::InputError` where they are not those of the recordings.
std::vector<std::size_t> rows_of(const FitPart& part, const std::vector<std::string>& ids,
                                 metrics::StimuliOf source);

/// Throws `core::InputError` where the stimuli of the recordings are not `ids`, those of the
/// features or of the table of stimuli.
void check_stimuli(const PreparedBenchmark& prepared, const std::vector<std::string>& ids,
                   metrics::StimuliOf source);

/// Where the stimuli of the model's features are stated: those of a network are the table's.
metrics::StimuliOf stimuli_stated_by(const models::ModelRecord& model);

/// The files that such a message is about.
std::string compared_files(const config::RunRecord& run, const PlannedUnit& unit,
                           const RecordingsReader& recordings, std::size_t benchmark);

/// Throws `core::InputError` where the labels that the splits are drawn by, those of the features
/// of `ids`, are not those of the recordings (`metrics::check_split_labels`).
void check_labels(const FitPart& part, const std::vector<std::string>& ids,
                  const metrics::SplitLabels& labels);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Stages 3 and 4 of a unit, and what is recorded of them: batches of its scores, each fitted on
/// one Gram, or on the features.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/fit/feature_columns.hpp"
#include "pipeline/fit/fit.hpp"
#include "pipeline/fit/layer_gram.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/fit/unit_records.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/plan/fit_parts.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// What is fitted together: on the same rows of the same layers.
struct FitBatch {
    std::vector<std::size_t> rows;
    std::vector<FitPart> parts;
};

/// Whether the batch's rows are those of the Gram, in its order.
bool takes_all_rows(const FitBatch& batch, const LayerGram& gram);

/// The features of a batch's layers, as `UnitFeatures::columns_of` gives them.
using ReadColumns = std::function<FeatureColumns()>;

/// The fits of one unit. The fits are collective over the team; what fails becomes records of the
/// scores that it concerns, or is thrown as by `fit_scores`.
class BatchFits {
public:
    BatchFits(const UnitInputs& inputs, RunJournal* journal, TeamContext& context,
              UnitFeatures& features, UnitRecords& records)
        : inputs_(inputs),
          journal_(journal),
          context_(context),
          features_(features),
          records_(records) {}

    /// Whether all that the batch is fitted on is the Gram.
    bool needs_gram_alone(const FitBatch& batch, const LayerGram& gram) const;

    /// Fits on the Gram of all stimuli, and where it has lost digits again on the features.
    /// `read_columns` is asked for them only if a fit needs them; the Gram's reduced form is made
    /// of them where it lacks one that is needed.
    void fit_on_gram(const FitBatch& batch, LayerGram& gram, const ReadColumns& read_columns,
                     const FeatureSeconds& seconds);

    /// Fits scores whose metric looks at the features alone.
    void fit_on_columns(const FitBatch& batch, const FeatureColumns& columns,
                        const FeatureSeconds& seconds);

private:
    std::vector<FitTask> tasks_of(const FitBatch& batch) const;
    void reduce(LayerGram& gram, const FeatureColumns& columns);
    std::vector<FitOutcome> fit_tasks(const std::vector<FitTask>& tasks, const FitBatch& batch,
                                      const LayerGram& gram,
                                      const std::optional<FeatureColumns>& columns);
    std::vector<FitOutcome> fit_tasks(const std::vector<FitTask>& tasks,
                                      const std::vector<std::size_t>& rows,
                                      metrics::FeatureForms forms, const FeatureColumns* columns);
    std::vector<FitTask> record_unless_lossy(const std::vector<FitTask>& tasks,
                                             const std::vector<FitOutcome>& outcomes,
                                             const FeatureSeconds& seconds);
    template <typename Which, typename Work>
    void without_failed(std::vector<FitTask>& tasks, const Which& which, const Work& work);

    const UnitInputs& inputs_;
    RunJournal* journal_;
    TeamContext& context_;
    UnitFeatures& features_;
    UnitRecords& records_;
};

}  // namespace ventral::pipeline

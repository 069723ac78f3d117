#include "pipeline/fit/batch_fits.hpp"

#include <algorithm>
#include <iterator>

#include "metrics/pairing.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/extraction/work_ahead.hpp"

namespace ventral::pipeline {
namespace {

bool needs_columns(const FitTask& task, const LayerGram& gram) {
    return metrics::needs_columns(metrics::find_metric(task.metric->name),
                                  task.plan->stimulus_ids.size(), gram.features);
}

bool needs_reduced(const FitTask& task, const LayerGram& gram) {
    return gram.reduced.empty() &&
           metrics::find_metric(task.metric->name).needs == metrics::FeaturesNeeded::reduced;
}

/// Comparisons take the columns where regressions take the reduced features.
bool any_fits(const std::vector<FitTask>& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [](const FitTask& task) {
        return metrics::find_metric(task.metric->name).needs !=
               metrics::FeaturesNeeded::columns_if_few;
    });
}

std::vector<const PlannedScore*> planned_of(const std::vector<FitTask>& tasks) {
    std::vector<const PlannedScore*> scores;
    for (const auto& task : tasks) scores.push_back(task.planned);
    return scores;
}

}  // namespace

bool takes_all_rows(const FitBatch& batch, const LayerGram& gram) {
    if (batch.rows.size() != gram.rows) return false;
    for (std::size_t i = 0; i < gram.rows; ++i)
        if (batch.rows[i] != i) return false;
    return true;
}

bool BatchFits::needs_gram_alone(const FitBatch& batch, const LayerGram& gram) const {
    const auto tasks = tasks_of(batch);
    return std::none_of(tasks.begin(), tasks.end(), [&](const FitTask& task) {
        return needs_columns(task, gram) || needs_reduced(task, gram);
    });
}

void BatchFits::fit_on_gram(const FitBatch& batch, LayerGram& gram, const ReadColumns& read_columns,
                            const FeatureSeconds& seconds) {
    auto tasks = tasks_of(batch);
    std::optional<FeatureColumns> columns;
    // Those that lack what they need cost the others nothing: these still have their Gram.
    without_failed(
        tasks, [&](const FitTask& task) { return needs_columns(task, gram); },
        [&] { columns = read_columns(); });
    without_failed(
        tasks, [&](const FitTask& task) { return needs_reduced(task, gram); },
        [&] { reduce(gram, columns ? *columns : read_columns()); });
    if (tasks.empty()) return;
    const auto lossy = record_unless_lossy(tasks, fit_tasks(tasks, batch, gram, columns), seconds);
    if (lossy.empty()) return;
    if (context_.ahead) context_.ahead->drop();  // memory is for the features now
    records_.or_fail(planned_of(lossy), [&] {
        if (!columns) columns = read_columns();
        if (gram.reduced.empty() && any_fits(lossy)) reduce(gram, *columns);
        const auto outcomes = fit_tasks(lossy, batch, gram, columns);
        for (std::size_t t = 0; t < lossy.size(); ++t)
            records_.record(lossy[t], outcomes[t], seconds);
    });
}

void BatchFits::fit_on_columns(const FitBatch& batch, const FeatureColumns& columns,
                               const FeatureSeconds& seconds) {
    const auto tasks = tasks_of(batch);
    const auto outcomes =
        fit_tasks(tasks, batch.rows, {stats::Kernel(), columns.features()}, &columns);
    for (std::size_t t = 0; t < tasks.size(); ++t) records_.record(tasks[t], outcomes[t], seconds);
}

std::vector<FitTask> BatchFits::tasks_of(const FitBatch& batch) const {
    std::vector<FitTask> tasks;
    for (const auto& part : batch.parts)
        tasks.push_back(
            {part.score, part.plan.get(), &inputs_.run.benchmarks[part.score->benchmark].metric,
             inputs_.recordings.is_restricted(part.score->benchmark), part.part, part.parts});
    return tasks;
}

void BatchFits::reduce(LayerGram& gram, const FeatureColumns& columns) {
    make_reduced(gram, columns, context_, [&] { features_.require_unchanged(); });
}

std::vector<FitOutcome> BatchFits::fit_tasks(const std::vector<FitTask>& tasks,
                                             const FitBatch& batch, const LayerGram& gram,
                                             const std::optional<FeatureColumns>& columns) {
    std::optional<LayerGram> gathered;
    if (!takes_all_rows(batch, gram)) gathered = gather_rows(gram, batch.rows, context_);
    return fit_tasks(tasks, batch.rows, forms_of(gathered ? *gathered : gram),
                     columns ? &*columns : nullptr);
}

std::vector<FitOutcome> BatchFits::fit_tasks(const std::vector<FitTask>& tasks,
                                             const std::vector<std::size_t>& rows,
                                             metrics::FeatureForms forms,
                                             const FeatureColumns* columns) {
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
std::vector<FitTask> BatchFits::record_unless_lossy(const std::vector<FitTask>& tasks,
                                                    const std::vector<FitOutcome>& outcomes,
                                                    const FeatureSeconds& seconds) {
    std::vector<FitTask> lossy;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        if (outcomes[t].needs_features && !tasks[t].metric->gram_only)
            lossy.push_back(tasks[t]);
        else
            records_.record(tasks[t], outcomes[t], seconds);
    }
    return lossy;
}

/// Does `work` if `which` of the tasks want it; if it fails they fail, and are taken out.
template <typename Which, typename Work>
void BatchFits::without_failed(std::vector<FitTask>& tasks, const Which& which, const Work& work) {
    std::vector<FitTask> wanting;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(wanting), which);
    if (!wanting.empty() && !records_.or_fail(planned_of(wanting), work))
        std::erase_if(tasks, which);
}

}  // namespace ventral::pipeline

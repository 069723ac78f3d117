#pragma once
/// @file
/// The table of metrics by their Brain-Score names.

#include <string>
#include <vector>

#include "core/workers.hpp"
#include "metrics/regression_fit.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// What a metric does with presentations.
enum class MetricForm {
    cross_validated,  ///< fits on the train part of each split, compares on the test part
    train_test,       ///< the same for given parts
    compared_parts,   ///< compares the test part of each split, without a fit
    comparison        ///< compares all presentations at once
};

/// What a metric computes, and so about what it takes of time and memory.
enum class MetricFamily { pls, ridge, linear, neuron_to_neuron, cka, rdm };

/// What a metric does with time bins.
enum class TimeForm {
    single,   ///< takes one
    spanned,  ///< one fit to all, a result for each
    apart     ///< a fit and a result for each
};

/// What a metric needs beside the Gram.
enum class FeaturesNeeded {
    none,
    reduced,        ///< the small form of `stats/gram/reduced_features.hpp`
    columns,        ///< the features themselves
    columns_if_few  ///< the features where `needs_columns` says so, else the Gram does
};

/// A line of the table.
struct RegisteredMetric {
    std::string name;  ///< as Brain-Score registers it
    MetricFamily family;
    MetricForm form;
    int version;  ///< part of the key of every score
    FoldScorer score;
    TimeForm time = TimeForm::single;
    bool scaled_targets = false;  ///< see `scale_targets`
    bool reversed = false;        ///< the recordings predict the features
    bool sorted_train = false;    ///< see `sort_train_rows`
    FeaturesNeeded needs = FeaturesNeeded::none;
    std::string parameter = {};  ///< of its fit, by its name in a benchmark's TOML
};

/// All metrics. The bare name ("pls") is the cross-validated form ("pls_cv").
const std::vector<RegisteredMetric>& registered_metrics();

/// Whether it draws splits, so that the labels that these are drawn by must be the same on both
/// sides.
bool draws_splits(const RegisteredMetric& metric);

/// Whether its raw values are those of single neuroids, not of all together.
bool has_neuroids(const RegisteredMetric& metric);

/// Which sizes of a metric's splits are said, if only to be none.
struct SaidSizes {
    bool train = false;
    bool test = false;
};

/// Completes sizes of which only one is said, as the reference merges what it is told into its
/// defaults: 0.9 is trained on (`CrossRegressedCorrelation`), or 0.9 compared (`RDMCrossValidated`,
/// `CKACrossValidated`), unless that size is said too. Sizes of which none is said stay empty.
void complete_sizes(MetricOptions& options, const SaidSizes& said);

/// Whether it would draw k folds with a size beside them, said or its default (`RDMCrossValidated`,
/// `CKACrossValidated`), which they exclude.
bool contradicts_kfold(const MetricOptions& options);

/// Whether it looks at a parameter of benchmarks' metrics, by the name that this has in their TOML.
bool takes(const RegisteredMetric& metric, const std::string& parameter);
/// What to say of a parameter of another metric's regression.
std::string not_taken_text(const RegisteredMetric& metric, const std::string& parameter);
/// Whether any metric does.
bool is_taken(const std::string& parameter);

/// Whether it looks at the Gram; else at the columns alone.
bool needs_gram(const RegisteredMetric& metric);

/// Whether it takes the columns of so many features of so many rows.
bool needs_columns(const RegisteredMetric& metric, std::size_t rows, std::size_t features);

/// Throws `core::InputError` that lists the names there are.
const RegisteredMetric& find_metric(const std::string& name);

/// The plan of a metric that takes one source and one target (any form but train_test). Throws
/// `core::InputError` where the reference raises.
RegressionPlan plan_metric(const MetricOptions& options, const core::Assembly& target);

/// The same for features that are the same in every time bin of the target: rows are presentations.
RegressionPlan plan_still(const MetricOptions& options, const core::Assembly& target);

/// The folds [first, last) of a plan, and what they share with its others on the same features, if
/// the caller keeps that from range to range.
struct FoldRange {
    std::size_t first;
    std::size_t last;
    stats::SharedFits* shared = nullptr;
};

/// Scores the folds of `range`. May be called by a task of `workers`.
std::vector<FoldResult> score_folds(const RegressionPlan& plan, const FeatureForms& forms,
                                    const MetricOptions& options, const FoldRange& range,
                                    core::Workers& workers);

}  // namespace ventral::metrics

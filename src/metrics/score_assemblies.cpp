#include "metrics/score_assemblies.hpp"

#include <algorithm>
#include <chrono>

#include "core/errors.hpp"
#include "metrics/feature_slabs.hpp"
#include "metrics/memory_plan.hpp"
#include "metrics/pairing.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_fit.hpp"
#include "stats/gram.hpp"

namespace ventral::metrics {
namespace {

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A Gram without the slabs that it was built from.
class Gram {
public:
    Gram(FeatureSlabs& slabs, core::Workers& workers)
        : rows_(slabs.rows()), kept_(rows_ * rows_ + 4 * rows_ + 1, 0.0) {
        const auto sizes = stats::gram_sizes(rows_, slabs.features());
        std::vector<double> scratch(2 * (sizes.slab + sizes.mean));
        std::span<double> kept(kept_);
        std::span<double> used(scratch);
        const auto cut = [](std::span<double>& from, std::size_t size) {
            const auto part = from.first(size);
            from = from.subspan(size);
            return part;
        };
        stats::GramMemory memory;
        memory.kernel = cut(kept, sizes.kernel);
        memory.centred_times_mean = cut(kept, sizes.row);
        memory.row_sums = cut(kept, sizes.row);
        memory.row_extremes = cut(kept, sizes.extremes);
        memory.mean_squared = cut(kept, 1);
        for (auto& slab : memory.slabs) slab = cut(used, sizes.slab);
        for (auto& mean : memory.means) mean = cut(used, sizes.mean);
        stats::build_gram(
            rows_, slabs.features(),
            [&](std::size_t first, std::size_t count) { return slabs.read(first, count); }, memory,
            workers, {});
    }

    stats::MatrixView kernel() const {
        const auto n = static_cast<Eigen::Index>(rows_);
        return {kept_.data(), n, n};
    }

private:
    std::size_t rows_;
    std::vector<double> kept_;
};

core::Score score_forms(const RegressionPlan& plan, const FeatureForms& forms,
                        const MetricOptions& options, core::Workers& workers) {
    std::vector<double> table(plan.folds.size() * plan.neuroids());
    core::Margins margins;
    std::string route;
    for (std::size_t group = 0; group < plan.groups(); ++group) {
        const auto range = plan.group_range(group);
        const auto results = score_folds(plan, forms, options, range, workers);
        for (std::size_t f = 0; f < results.size(); ++f) {
            std::copy(
                results[f].r.begin(), results[f].r.end(),
                table.begin() + static_cast<std::ptrdiff_t>((range.first + f) * plan.neuroids()));
            merge_margins(margins, results[f].margins);
            merge_route(route, results[f].route);
        }
    }
    core::Score score = aggregate(plan, table);
    note_margins(score, margins, route);
    return score;
}

/// Sums over the sources, which are read one after the other into the same block.
template <typename Bytes>
std::size_t sum_over(const std::vector<FeaturePart>& parts, const Bytes& bytes) {
    std::size_t sum = 0;
    for (const auto& part : parts) sum += bytes(part.features);
    return sum;
}

/// Decides what is kept, and grants caches out of what is left.
Keep share_memory(const std::vector<FeaturePart>& parts, const RegressionPlan& plan,
                  const Resources& resources) {
    const Features& model = parts.front().features;
    const auto columns = [&](Keep keep) { return std::min(block_columns(keep), model.columns()); };
    const auto reading = [&](Keep keep) {
        return sum_over(parts, [&](const Features& f) { return f.reading_bytes(columns(keep)); });
    };
    const ProblemSize size{plan.stimulus_ids.size(), model.columns(), plan.neuroids(),
                           resources.workers.threads(), model.value_bytes()};
    const Keep keep = what_to_keep(size, {reading(Keep::two_blocks), reading(Keep::everything)},
                                   resources.memory_bytes);
    const auto wanted =
        sum_over(parts, [&](const Features& f) { return f.useful_cache(columns(keep)); });
    const double spare = resources.memory_bytes - memory_need(size, keep, reading(keep)).total();
    if (wanted > 0 && static_cast<double>(wanted) <= spare)
        for (const auto& part : parts)
            part.features.use_cache(part.features.useful_cache(columns(keep)));
    return keep;
}

TimedScore score_plan(const RegressionPlan& plan, std::vector<FeaturePart> parts,
                      const MetricOptions& options, const Resources& resources) {
    const Stopwatch whole;
    // What a block has is checked, with its place, when it is read; what is left is about the sum.
    const std::string place = parts.size() == 1 ? parts.front().features.place : "";
    const Keep keep = share_memory(parts, plan, resources);
    FeatureSlabs slabs(std::move(parts), keep);
    const Gram gram = naming(place, [&] { return Gram(slabs, resources.workers); });
    TimedScore timed;
    const double waited_s = slabs.waited_s();
    timed.gram_s = whole.seconds() - waited_s;
    const FeatureForms forms{
        gram.kernel(), slabs.features(), stats::ReducedFeatures([&] {
            return stats::reduce_features(
                slabs.rows(), slabs.features(),
                [&](std::size_t first, std::size_t count) { return slabs.read(first, count); },
                resources.workers);
        })};
    timed.score = score_forms(plan, forms, options, resources.workers);
    timed.read_s = slabs.waited_s();
    timed.fit_s = whole.seconds() - timed.gram_s - timed.read_s;
    return timed;
}

void require_form(const MetricOptions& options, SplitForm form, const char* needs) {
    if (find_metric(options.name).form != form)
        throw core::InputError("metric '" + options.name + "' needs " + needs);
}

/// Both files, as far as they are known.
std::string both(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + " and " + second;
}

FeaturePart paired(const Features& source, const Recordings& target) {
    const auto ids = [](const std::string& place, const core::Assembly& labels) {
        return naming(place, [&] { return core::texts(labels, "stimulus_id"); });
    };
    const auto source_ids = ids(source.place, source.labels);
    const auto target_ids = ids(target.place, target.assembly);
    return {source, naming(both(source.place, target.place),
                           [&] { return pair_rows(source_ids, target_ids); })};
}

}  // namespace

TimedScore score_features(const Features& source, const Recordings& target,
                          const MetricOptions& options, const Resources& resources) {
    require_form(options, SplitForm::cross_validated,
                 "train and test assemblies (--source-train, --target-train, --source-test, "
                 "--target-test)");
    const Stopwatch planning;
    const auto plan = naming(target.place, [&] {
        return plan_cross_validated(target.assembly, options.cross_validation);
    });
    const double planning_s = planning.seconds();
    auto timed = score_plan(plan, {paired(source, target)}, options, resources);
    timed.fit_s += planning_s;
    return timed;
}

TimedScore score_train_test(const TrainTestFeatures& parts, const MetricOptions& options,
                            const Resources& resources) {
    require_form(options, SplitForm::train_test, "one source and one target (--source, --target)");
    const auto plan = naming(both(parts.target_train.place, parts.target_test.place), [&] {
        return plan_train_test(parts.target_train.assembly, parts.target_test.assembly);
    });
    return score_plan(plan,
                      {paired(parts.source_train, parts.target_train),
                       paired(parts.source_test, parts.target_test)},
                      options, resources);
}

core::Score score_assemblies(const core::Assembly& source, const core::Assembly& target,
                             const MetricOptions& options, core::Workers& workers) {
    const auto table = presentation_by_neuroid(source);
    return score_features(features_in_memory(table), {"", target}, options, {workers}).score;
}

core::Score score_train_test(const TrainTestAssemblies& parts, const MetricOptions& options,
                             core::Workers& workers) {
    const auto train = presentation_by_neuroid(parts.source_train);
    const auto test = presentation_by_neuroid(parts.source_test);
    return score_train_test({features_in_memory(train),
                             features_in_memory(test),
                             {"", parts.target_train},
                             {"", parts.target_test}},
                            options, {workers})
        .score;
}

}  // namespace ventral::metrics

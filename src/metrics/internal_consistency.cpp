#include "metrics/internal_consistency.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/repetition_groups.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_plan.hpp"
#include "stats/correlation.hpp"
#include "stats/splits.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t n_splits = 10;

/// The recordings, with what all splits have in common.
struct Recordings {
    std::vector<double> values;  ///< presentations × neuroids
    std::size_t neuroids = 0;
    core::RepetitionGroups groups;
    std::vector<std::size_t> group_order;   ///< groups sorted by stimulus id (stable)
    std::vector<std::string> stimulus_ids;  ///< of each group
    std::vector<std::size_t> repetition;    ///< code of each presentation
    std::size_t repetitions = 0;
};

Recordings recordings_of(const core::Assembly& table) {
    Recordings recordings;
    recordings.values = core::as_float64(table.values);
    recordings.neuroids = table.dims[1].size;
    recordings.groups = core::repetition_groups(table);
    const auto& ids = core::coordinate(table, "stimulus_id").values;
    std::vector<std::size_t> first_rows;
    for (std::size_t g = 0; g < recordings.groups.count(); ++g)
        first_rows.push_back(recordings.groups.order[recordings.groups.starts[g]]);
    const auto group_ids = core::take(ids, first_rows);
    recordings.group_order = core::sorted_positions({&group_ids}, first_rows.size());
    for (std::size_t g = 0; g < first_rows.size(); ++g)
        recordings.stimulus_ids.push_back(core::text(group_ids, g));
    const auto codes = core::label_codes(core::coordinate(table, "repetition").values);
    recordings.repetition = codes.codes;
    recordings.repetitions = codes.distinct;
    if (codes.distinct < 2)
        throw core::InputError("internal_consistency needs at least two repetitions ('" +
                               table.name + "' has " + std::to_string(codes.distinct) + ")");
    return recordings;
}

/// Averages over the repetitions of one half: one row per group that has any, in order of stimulus.
struct Half {
    std::vector<std::size_t> groups;
    stats::Matrix means;  ///< rows of `groups` × neuroids
};

Half average_half(const Recordings& recordings, const std::vector<char>& chosen) {
    const auto& groups = recordings.groups;
    Half half;
    std::vector<std::vector<double>> rows;
    std::vector<double> counts(recordings.neuroids);
    for (const auto g : recordings.group_order) {
        std::vector<double> total(recordings.neuroids, 0.0);
        std::fill(counts.begin(), counts.end(), 0.0);
        bool any = false;
        for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) {
            const std::size_t row = groups.order[i];
            if (!chosen[recordings.repetition[row]]) continue;
            any = true;
            const double* values = recordings.values.data() + row * recordings.neuroids;
            for (std::size_t j = 0; j < recordings.neuroids; ++j) {
                const bool missing = std::isnan(values[j]);
                total[j] += missing ? 0.0 : values[j];
                counts[j] += missing ? 0.0 : 1.0;
            }
        }
        if (!any) continue;
        for (std::size_t j = 0; j < recordings.neuroids; ++j) total[j] /= counts[j];  // 0/0 is NaN
        half.groups.push_back(g);
        rows.push_back(std::move(total));
    }
    half.means.resize(static_cast<Eigen::Index>(rows.size()),
                      static_cast<Eigen::Index>(recordings.neuroids));
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < recordings.neuroids; ++j)
            half.means(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
    return half;
}

void check_same_stimuli(const Recordings& recordings, const Half& a, const Half& b) {
    const auto id = [&](const Half& half, std::size_t i) {
        return i < half.groups.size() ? recordings.stimulus_ids[half.groups[i]] : std::string();
    };
    for (std::size_t i = 0; i < std::max(a.groups.size(), b.groups.size()); ++i)
        if (id(a, i) != id(b, i))
            throw core::InputError(
                "stimulus '" + (id(a, i).empty() ? id(b, i) : id(a, i)) +
                "' has no repetition in one half of a split (internal_consistency needs every "
                "stimulus in both) leave out stimuli with few repetitions");
}

std::vector<double> consistency_of_split(const Recordings& recordings, const stats::Split& split) {
    std::vector<char> in_first(recordings.repetitions, 0);
    for (const auto repetition : split.train) in_first[repetition] = 1;
    std::vector<char> in_second(recordings.repetitions, 0);
    for (const auto repetition : split.test) in_second[repetition] = 1;
    const Half first = average_half(recordings, in_first);
    const Half second = average_half(recordings, in_second);
    check_same_stimuli(recordings, first, second);
    auto r = stats::pearson_columns(first.means, second.means);
    for (double& value : r) value = stats::spearman_brown(value);
    return r;
}

}  // namespace

core::Score internal_consistency(const core::Assembly& assembly, core::Workers& workers) {
    const auto table = presentation_by_neuroid(assembly);
    const Recordings recordings = recordings_of(table);
    const auto splits = stats::shuffle_split(recordings.repetitions, n_splits, {0.5, {}}, 1);

    std::vector<std::vector<double>> consistency(n_splits);
    workers.parallel_for(n_splits, [&](std::size_t s) {
        consistency[s] = consistency_of_split(recordings, splits[s]);
    });

    RegressionPlan shape;
    shape.neuroid_order = neuroid_order(table);
    shape.neuroid_coordinates = neuroid_coordinates(table, shape.neuroid_order);
    shape.folds.resize(n_splits);
    std::vector<double> raw;
    for (const auto& split : consistency)
        for (const auto column : shape.neuroid_order) raw.push_back(split[column]);
    core::Score score = aggregate(shape, raw);
    score.route = "split-half";
    return score;
}

}  // namespace ventral::metrics

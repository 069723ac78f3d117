#include "metrics/internal_consistency.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/repetition_groups.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/regression_plan.hpp"
#include "metrics/split_halves.hpp"
#include "stats/splits.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t n_splits = 10;

/// Presentations in groups that are averaged, with what all splits have in common.
struct Repetitions {
    core::RepetitionGroups groups;
    std::vector<std::size_t> group_order;   ///< groups sorted by stimulus id (stable)
    std::vector<std::string> stimulus_ids;  ///< of each group
    core::LabelCodes codes;                 ///< the repetition of each presentation
};

Repetitions repetitions_of(const core::Assembly& assembly) {
    Repetitions repetitions;
    repetitions.groups = core::repetition_groups(assembly);
    const auto& ids = core::coordinate(assembly, "stimulus_id").values;
    std::vector<std::size_t> first_rows;
    for (std::size_t g = 0; g < repetitions.groups.count(); ++g)
        first_rows.push_back(repetitions.groups.order[repetitions.groups.starts[g]]);
    const auto group_ids = core::take(ids, first_rows);
    repetitions.group_order = core::sorted_positions({&group_ids}, first_rows.size());
    for (std::size_t g = 0; g < first_rows.size(); ++g)
        repetitions.stimulus_ids.push_back(core::text(group_ids, g));
    repetitions.codes = core::label_codes(core::coordinate(assembly, "repetition").values);
    if (repetitions.codes.distinct < 2)
        throw core::InputError("internal_consistency needs at least two repetitions ('" +
                               assembly.name + "' has " +
                               std::to_string(repetitions.codes.distinct) + ")");
    return repetitions;
}

/// The rows of one half's repetitions, in order of stimulus; a group without any is left out.
struct Half {
    RowGroups rows;
    std::vector<std::size_t> groups;
};

Half half_of(const Repetitions& repetitions, const std::vector<std::size_t>& chosen) {
    std::vector<char> is_chosen(repetitions.codes.distinct, 0);
    for (const auto repetition : chosen) is_chosen[repetition] = 1;
    Half half;
    for (const auto g : repetitions.group_order) {
        const auto& groups = repetitions.groups;
        const std::size_t before = half.rows.rows.size();
        for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i)
            if (is_chosen[repetitions.codes.codes[groups.order[i]]])
                half.rows.rows.push_back(static_cast<std::uint32_t>(groups.order[i]));
        if (half.rows.rows.size() == before) continue;
        half.rows.close();
        half.groups.push_back(g);
    }
    return half;
}

void check_same_stimuli(const Repetitions& repetitions, const Half& a, const Half& b) {
    const auto id = [&](const Half& half, std::size_t i) {
        return i < half.groups.size() ? repetitions.stimulus_ids[half.groups[i]] : std::string();
    };
    for (std::size_t i = 0; i < std::max(a.groups.size(), b.groups.size()); ++i)
        if (id(a, i) != id(b, i))
            throw core::InputError(
                "stimulus '" + (id(a, i).empty() ? id(b, i) : id(a, i)) +
                "' has no repetition in one half of a split (internal_consistency needs every "
                "stimulus in both) leave out stimuli with few repetitions");
    if (a.groups.size() < 2)
        throw core::InputError(
            "internal_consistency needs at least two stimuli (a correlation of one is undefined)");
}

std::vector<SplitHalves> halves_of(const core::Assembly& assembly) {
    const Repetitions repetitions = repetitions_of(assembly);
    std::vector<SplitHalves> halves;
    for (const auto& split :
         stats::shuffle_split(repetitions.codes.distinct, n_splits, {0.5, {}}, 1)) {
        Half first = half_of(repetitions, split.train);
        Half second = half_of(repetitions, split.test);
        check_same_stimuli(repetitions, first, second);
        halves.push_back({std::move(first.rows), std::move(second.rows)});
    }
    return halves;
}

}  // namespace

core::Score internal_consistency(const core::Assembly& assembly, core::Workers& workers) {
    const auto presentations = view_presentations(assembly);
    const auto consistency = split_half_consistency(presentations, halves_of(assembly), workers);

    RegressionPlan shape;
    shape.neuroid_order = neuroid_order(assembly);
    shape.neuroid_coordinates = neuroid_coordinates(assembly, shape.neuroid_order);
    shape.folds.resize(n_splits);
    std::vector<double> raw;
    for (std::size_t s = 0; s < n_splits; ++s)
        for (const auto column : shape.neuroid_order)
            raw.push_back(consistency[s * presentations.neuroids + column]);
    core::Score score = aggregate(shape, raw);
    score.route = "split-half";
    return score;
}

core::Score internal_consistency_temporal(const core::Assembly& assembly, core::Workers& workers) {
    return per_time(assembly,
                    [&](const core::Assembly& bin) { return internal_consistency(bin, workers); });
}

}  // namespace ventral::metrics

#include "metrics/internal_consistency.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/label_codes.hpp"
#include "core/repetition_groups.hpp"
#include "metrics/per_time.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/result_shape.hpp"
#include "metrics/split_halves.hpp"
#include "stats/folds/splits.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t n_splits = 10;

/// Presentations in groups that are averaged, with what all splits have in common.
struct Repetitions {
    std::vector<std::size_t> rows;          ///< of all groups, one after the other
    std::vector<std::size_t> repetition;    ///< of each of these, as a code
    std::vector<std::size_t> starts;        ///< first place of each group, and the end
    std::vector<std::string> stimulus_ids;  ///< of each group, sorted (stable)
    std::size_t distinct = 0;               ///< number of repetitions
    std::optional<core::SplitRepetitions> split;
};

Repetitions repetitions_of(const core::Assembly& assembly) {
    const auto groups = core::repetition_groups(assembly);
    std::vector<std::size_t> first_rows;
    for (std::size_t g = 0; g < groups.count(); ++g)
        first_rows.push_back(groups.order[groups.starts[g]]);
    const auto ids = core::take(core::coordinate(assembly, "stimulus_id").values, first_rows);
    const auto codes = core::label_codes(core::coordinate(assembly, "repetition").values);
    Repetitions repetitions;
    repetitions.distinct = codes.distinct;
    for (const auto g : core::sorted_positions({&ids}, first_rows.size())) {
        repetitions.starts.push_back(repetitions.rows.size());
        repetitions.stimulus_ids.push_back(core::text(ids, g));
        for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) {
            repetitions.rows.push_back(groups.order[i]);
            repetitions.repetition.push_back(codes.codes[groups.order[i]]);
        }
    }
    repetitions.starts.push_back(repetitions.rows.size());
    repetitions.split = core::split_repetitions(assembly, groups);
    if (codes.distinct < consistent_repetitions)
        throw core::InputError(too_few_repetitions(assembly.name, codes.distinct));
    return repetitions;
}

/// The places of one half's repetitions; a group without any is left out.
struct Half {
    PlaceGroups places;
    std::vector<std::size_t> groups;
};

Half half_of(const Repetitions& repetitions, const std::vector<std::size_t>& chosen) {
    std::vector<char> is_chosen(repetitions.distinct, 0);
    for (const auto repetition : chosen) is_chosen[repetition] = 1;
    Half half;
    auto& places = half.places.places;
    for (std::size_t g = 0; g < repetitions.stimulus_ids.size(); ++g) {
        const std::size_t before = places.size();
        for (std::size_t i = repetitions.starts[g]; i < repetitions.starts[g + 1]; ++i)
            if (is_chosen[repetitions.repetition[i]])
                places.push_back(static_cast<std::uint32_t>(i));
        if (places.size() == before) continue;
        half.places.close();
        half.groups.push_back(g);
    }
    return half;
}

std::string differs(const core::SplitRepetitions& split) {
    return "'" + split.coordinate + "' differs between presentations of";
}

std::string how_to_drop(const core::SplitRepetitions& split) {
    return "drop the coordinate, { file = …, drop = [\"" + split.coordinate +
           "\"] } in the dataset's TOML";
}

void check_same_stimuli(const Repetitions& repetitions, const Half& a, const Half& b) {
    const auto id = [&](const Half& half, std::size_t i) {
        return i < half.groups.size() ? repetitions.stimulus_ids[half.groups[i]] : std::string();
    };
    for (std::size_t i = 0; i < std::max(a.groups.size(), b.groups.size()); ++i)
        if (id(a, i) != id(b, i) && repetitions.split)
            throw core::InputError(
                differs(*repetitions.split) + " stimulus '" + repetitions.split->stimulus +
                "' (internal_consistency averages presentations that differ in 'repetition' alone, "
                "and needs all of these averages in both halves of a split) " +
                how_to_drop(*repetitions.split) + ", or select one value of it");
        else if (id(a, i) != id(b, i))
            throw core::InputError(
                "stimulus '" + (id(a, i).empty() ? id(b, i) : id(a, i)) +
                "' has no repetition in one half of a split of the " +
                std::to_string(repetitions.distinct) +
                " values of 'repetition' (internal_consistency needs every stimulus in both) "
                "number the repetitions of each stimulus from 0, or leave out stimuli with few");
    if (a.groups.size() < 2)
        throw core::InputError(
            "internal_consistency needs at least two stimuli (a correlation of one is undefined)");
}

std::vector<SplitHalves> halves_of(const Repetitions& repetitions) {
    std::vector<SplitHalves> halves;
    for (const auto& split : stats::shuffle_split(repetitions.distinct, n_splits, {0.5, {}}, 1)) {
        Half first = half_of(repetitions, split.train);
        Half second = half_of(repetitions, split.test);
        check_same_stimuli(repetitions, first, second);
        halves.push_back({std::move(first.places), std::move(second.places)});
    }
    return halves;
}

}  // namespace

std::string too_few_repetitions(const std::string& name, std::size_t repetitions) {
    return "internal_consistency needs at least two repetitions ('" + name + "' has " +
           std::to_string(repetitions) + ")";
}

void check_halves(const core::Assembly& labels) { halves_of(repetitions_of(labels)); }

core::Score internal_consistency(const core::Assembly& assembly, core::Workers& workers) {
    const auto presentations = view_presentations(assembly);
    const auto repetitions = repetitions_of(assembly);
    const auto consistency = split_half_consistency(
        presentations, repetitions.rows, halves_of(repetitions), stats::pearson_columns, workers);

    ResultShape shape;
    shape.neuroid_order = neuroid_order(assembly);
    shape.neuroid_coordinates = neuroid_coordinates(assembly, shape.neuroid_order);
    std::vector<double> raw;
    for (std::size_t s = 0; s < n_splits; ++s)
        for (const auto column : shape.neuroid_order)
            raw.push_back(consistency[s * presentations.neuroids + column]);
    core::Score score = aggregate(shape, raw);
    score.route = "split-half";
    // Of which stimulus is not for everyone to know.
    if (repetitions.split)
        score.warnings.push_back(differs(*repetitions.split) +
                                 " the same stimulus (they are averaged apart, as in the "
                                 "reference) if they are repetitions " +
                                 how_to_drop(*repetitions.split));
    return score;
}

core::Score internal_consistency_temporal(const core::Assembly& assembly, core::Workers& workers) {
    return per_time(assembly,
                    [&](const core::Assembly& bin) { return internal_consistency(bin, workers); });
}

}  // namespace ventral::metrics

#include "core/repetition_groups.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "core/coordinates_along.hpp"
#include "core/errors.hpp"
#include "core/label_codes.hpp"

namespace ventral::core {
namespace {

/// One number per row; they are alike where the tuples of all `keys` are, and sort like them.
std::vector<std::int64_t> tuple_codes(const std::vector<const Values*>& keys) {
    std::vector<std::int64_t> tuples(value_count(*keys.front()), 0);
    for (const auto* key : keys) {
        const auto labels = label_codes(*key);
        const auto distinct = static_cast<std::int64_t>(labels.distinct);
        for (std::size_t i = 0; i < tuples.size(); ++i)
            tuples[i] = tuples[i] * distinct + static_cast<std::int64_t>(labels.codes[i]);
        // Made small again, so that no number of keys overflows.
        const auto codes = label_codes(std::move(tuples)).codes;
        tuples.assign(codes.begin(), codes.end());
    }
    return tuples;
}

RowGroups group_rows(const std::vector<const Values*>& keys) {
    const Values codes = tuple_codes(keys);
    RowGroups groups;
    groups.order = sorted_positions({&codes}, value_count(codes));
    for (std::size_t i = 0; i < groups.order.size(); ++i) {
        if (i == 0 || !equal(codes, groups.order[i], groups.order[i - 1]))
            groups.starts.push_back(i);
    }
    groups.starts.push_back(groups.order.size());
    return groups;
}

std::vector<const Values*> grouping_labels(const Assembly& assembly) {
    if (!find_coordinate(assembly, "repetition", "presentation")) {
        throw InputError(assembly.name +
                         ": repetitions cannot be averaged (no coordinate 'repetition' along "
                         "'presentation', which has " +
                         coordinates_along(assembly, "presentation") +
                         ") give the assembly of single repetitions, or, in a dataset's record, "
                         "rename the coordinate that numbers them, or name an averaged assembly as "
                         "'target'");
    }
    std::vector<const Values*> labels;
    for (const auto& entry : assembly.coordinates) {
        if (entry.dim == "presentation" && entry.name != "repetition")
            labels.push_back(&entry.values);
    }
    if (labels.empty()) {
        throw InputError(assembly.name +
                         ": repetitions cannot be averaged ('presentation' has no coordinate but "
                         "'repetition') add a coordinate 'stimulus_id'");
    }
    return labels;
}

}  // namespace

RowGroups repetition_groups(const Assembly& assembly) {
    return group_rows(grouping_labels(assembly));
}

std::optional<SplitRepetitions> split_repetitions(const Assembly& assembly,
                                                  const RowGroups& groups) {
    const auto& ids = coordinate(assembly, "stimulus_id").values;
    std::map<std::string, std::size_t> first_rows;
    for (std::size_t g = 0; g < groups.count(); ++g) {
        const auto row = groups.order[groups.starts[g]];
        const auto [first, is_new] = first_rows.try_emplace(text(ids, row), row);
        if (is_new) continue;
        for (const auto& labels : assembly.coordinates)
            if (labels.dim == "presentation" && labels.name != "repetition" &&
                !equal(labels.values, first->second, row))
                return SplitRepetitions{labels.name, first->first};
    }
    return std::nullopt;
}

}  // namespace ventral::core

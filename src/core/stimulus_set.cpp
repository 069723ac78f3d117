#include "core/stimulus_set.hpp"

#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/errors.hpp"
#include "core/number_text.hpp"

namespace ventral::core {
namespace {

/// Of digits, and not so large that others have the same value.
std::optional<double> plain_number(std::string_view id) {
    constexpr double largest = 1e15;
    if (id.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    const auto number = parse_number(id);
    return number && *number < largest ? number : std::nullopt;
}

/// In place of a stimulus that it does not have, and what is to be done.
std::string what_is_there(std::string_view id, const StimulusSet& stimuli) {
    const auto number = plain_number(id);
    for (const auto& other : stimuli.stimulus_ids)
        if (number && plain_number(other) == number)
            return "'" + other + "', the same number in other letters) write it alike in both";
    return "no such stimulus) use the stimulus set that belongs to these recordings";
}

/// Which row of the stimulus set each presentation shows.
std::vector<std::size_t> shown_rows(const Assembly& assembly, const StimulusSet& stimuli) {
    const auto& ids = coordinate(assembly, "stimulus_id");
    if (ids.dim != "presentation") {
        throw InputError(assembly.name + ": coordinate 'stimulus_id' lies along '" + ids.dim +
                         "' (it must say what each presentation shows) put it along "
                         "'presentation'");
    }
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t i = 0; i < stimuli.stimulus_ids.size(); ++i)
        row_of.emplace(stimuli.stimulus_ids[i], i);

    std::vector<std::size_t> rows;
    for (const auto& id : texts(assembly, "stimulus_id")) {
        const auto found = row_of.find(id);
        if (found == row_of.end()) {
            throw InputError(assembly.name + ": a presentation shows stimulus '" + id +
                             "' (stimulus set '" + stimuli.identifier + "' has " +
                             what_is_there(id, stimuli));
        }
        rows.push_back(found->second);
    }
    return rows;
}

}  // namespace

Assembly merge_stimulus_columns(const Assembly& assembly, const StimulusSet& stimuli) {
    const auto rows = shown_rows(assembly, stimuli);
    auto merged = assembly;
    for (const auto& column : stimuli.columns) {
        if (find_coordinate(merged, column.name)) continue;
        merged.coordinates.push_back({column.name, "presentation", take(column.values, rows)});
    }
    return merged;
}

}  // namespace ventral::core

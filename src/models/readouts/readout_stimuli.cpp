#include "models/readouts/readout_stimuli.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/errors.hpp"

namespace ventral::models {
namespace {

constexpr auto label_column = "image_label";

/// An empty field of a table.
bool is_missing(const core::Values& values, std::size_t position) {
    if (const auto* numbers = std::get_if<std::vector<double>>(&values))
        return std::isnan((*numbers)[position]);
    return core::text(values, position).empty();
}

}  // namespace

void check_fitting_stimuli(const core::StimulusSet& stimuli, const std::string& place) {
    const auto& columns = stimuli.columns;
    const auto labels =
        std::find_if(columns.begin(), columns.end(),
                     [](const core::Column& column) { return column.name == label_column; });
    if (labels == columns.end())
        throw core::InputError(place + ": has no column '" + label_column +
                               "' (what each fitting stimulus shows) add it to the table");
    std::set<std::string> known;
    for (std::size_t i = 0; i < stimuli.stimulus_ids.size(); ++i) {
        if (is_missing(labels->values, i))
            throw core::InputError(place + ": stimulus '" + stimuli.stimulus_ids[i] + "' has no " +
                                   label_column + ", give it one or leave it out");
        known.insert(core::text(labels->values, i));
    }
    if (known.size() < 2)
        throw core::InputError(place + ": has one " + label_column + " only, '" + *known.begin() +
                               "' (a classifier needs two)");
}

void check_triplets(const std::vector<Triplet>& triplets, const core::StimulusSet& stimuli,
                    const std::string& place) {
    const std::set<std::string> known(stimuli.stimulus_ids.begin(), stimuli.stimulus_ids.end());
    for (std::size_t number = 0; number < triplets.size(); ++number)
        for (const auto& id : triplets[number])
            if (known.count(id) == 0)
                throw core::InputError(place + ": triplet " + std::to_string(number + 1) +
                                       " names the stimulus '" + id + "', which is not among the " +
                                       std::to_string(known.size()) + " that are shown" +
                                       core::near_names(id, stimuli.stimulus_ids));
}

void check_columns(const core::StimulusSet& stimuli, const std::string& place) {
    const auto taken = core::Assembly{}.name;
    for (const auto& column : stimuli.columns)
        if (column.name == taken)
            throw core::InputError(place + ": a column cannot be named '" + taken +
                                   "' (so the values of a task's output are named) rename it");
}

}  // namespace ventral::models

#include "pipeline/extraction/trial_rows.hpp"

#include <cstdint>

namespace ventral::pipeline {
namespace {

using Shift = stimuli::Microsaccade;

core::Column shift_column(const std::string& name, double Shift::*along,
                          const std::vector<Shift>& shifts, std::size_t stimuli) {
    std::vector<double> values;
    for (std::size_t i = 0; i < stimuli; ++i)
        for (const auto& shift : shifts) values.push_back(shift.*along);
    return {"microsaccade_shift_" + name, std::move(values)};
}

core::Column trial_column(std::size_t trials, std::size_t stimuli) {
    std::vector<std::int64_t> numbers(trials * stimuli);
    for (std::size_t row = 0; row < numbers.size(); ++row)
        numbers[row] = static_cast<std::int64_t>(row % trials);
    return {"trial", std::move(numbers)};
}

}  // namespace

core::StimulusSet with_trials(const core::StimulusSet& stimuli, const std::vector<Shift>& shifts) {
    const std::size_t count = stimuli.stimulus_ids.size();
    std::vector<std::size_t> stimulus_of_row(count * shifts.size());
    for (std::size_t row = 0; row < stimulus_of_row.size(); ++row)
        stimulus_of_row[row] = row / shifts.size();
    core::StimulusSet rows{stimuli.identifier, {}, {}, {}, {}};
    for (const auto i : stimulus_of_row) {
        rows.stimulus_ids.push_back(stimuli.stimulus_ids[i]);
        rows.files.push_back(stimuli.files[i]);
        rows.visual_degrees.push_back(stimuli.visual_degrees[i]);
    }
    rows.columns = {trial_column(shifts.size(), count),
                    shift_column("x_pixels", &Shift::x_pixels, shifts, count),
                    shift_column("y_pixels", &Shift::y_pixels, shifts, count),
                    shift_column("x_degrees", &Shift::x_degrees, shifts, count),
                    shift_column("y_degrees", &Shift::y_degrees, shifts, count)};
    for (const auto& column : stimuli.columns)
        rows.columns.push_back({column.name, core::take(column.values, stimulus_of_row)});
    return rows;
}

}  // namespace ventral::pipeline

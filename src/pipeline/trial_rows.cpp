#include "pipeline/trial_rows.hpp"

#include <algorithm>
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

TrialAverages::TrialAverages(const io::ActivationsFile& file, std::size_t trials)
    : file_(&file), trials_(trials) {}

void TrialAverages::read_columns(const std::string& layer, std::size_t first, std::size_t count,
                                 std::span<float> out) const {
    if (trials_ == 1) return file_->read_columns(layer, first, count, out);
    const std::size_t at_once = file_->rows_in_chunk(layer);  // stimuli: so that chunks are whole
    std::vector<float> rows;
    std::vector<double> sums(count);
    for (std::size_t begin = 0; begin < stimuli(); begin += at_once) {
        const std::size_t end = std::min(begin + at_once, stimuli());
        rows.resize((end - begin) * trials_ * count);
        file_->read_block(layer, {begin * trials_, (end - begin) * trials_, first, count}, rows);
        for (std::size_t i = begin; i < end; ++i) {
            const float* const of_stimulus = rows.data() + (i - begin) * trials_ * count;
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::size_t trial = 0; trial < trials_; ++trial)
                for (std::size_t j = 0; j < count; ++j)
                    sums[j] += static_cast<double>(of_stimulus[trial * count + j]);
            for (std::size_t j = 0; j < count; ++j)
                out[i * count + j] = static_cast<float>(sums[j] / static_cast<double>(trials_));
        }
    }
}

}  // namespace ventral::pipeline

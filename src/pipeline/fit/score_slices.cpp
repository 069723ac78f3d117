#include "pipeline/fit/score_slices.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "metrics/normalisation.hpp"
#include "metrics/time_bins.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::pipeline {
namespace {

/// The numbers of a vector, and none for what is no vector.
std::vector<double> numbers(const std::optional<core::Assembly>& vector) {
    return vector ? core::as_float64(vector->values) : std::vector<double>{};
}

/// The score's own numbers in each time bin; none of a score that is one number.
std::vector<core::CeilingSlice> slices_of(const core::Score& score) {
    const auto values = numbers(score.value_array);
    const auto errors = numbers(score.error_array);
    if (values.empty()) return {};
    const auto names = metrics::time_bin_names(score.value_array->coordinates, values.size());
    std::vector<core::CeilingSlice> slices;
    for (std::size_t i = 0; i < names.size(); ++i) {
        slices.push_back({names[i], values[i], {}});
        if (!errors.empty()) slices.back().error = errors[i];
    }
    return slices;
}

/// The ceiling of a slice: its own, or the whole if that is one number.
core::CeilingSlice ceiling_of(const std::string& slice, const core::CeilingValue& ceiling) {
    if (ceiling.slices.empty()) return {slice, ceiling.value, ceiling.error};
    const auto found = std::find_if(ceiling.slices.begin(), ceiling.slices.end(),
                                    [&](const auto& each) { return each.name == slice; });
    if (found == ceiling.slices.end())
        throw core::InputError("the ceiling has nothing for " + slice +
                               " (the repetitions have other time bins than the target) state the "
                               "time_bins that both have");
    return *found;
}

/// From the raw values and ceilings that the record has; without a ceiling nothing is normalised.
void put_values(core::ScoreRecord& record) {
    std::vector<double> values;
    for (auto& slice : record.slices) {
        slice.value =
            metrics::normalise(record.normalisation, slice.raw_value, slice.ceiling.value_or(1.0));
        values.push_back(slice.value);
    }
    if (record.slices.empty())
        record.value = metrics::normalise(record.normalisation, record.raw_value.value(),
                                          record.ceiling ? record.ceiling->value : 1.0);
    else
        record.value = stats::nan_mean(values);
}

/// Neuroid by neuroid; `score` has its raw values.
double neuroid_wise_value(const core::Score& score, const core::CeilingValue& ceiling) {
    core::Score limits;
    if (ceiling.neuroids) limits.raw = *ceiling.neuroids;
    return metrics::neuroid_wise_explained_var(score, limits).value;
}

}  // namespace

void put_score(core::ScoreRecord& record, const core::Score& score,
               const core::CeilingValue* ceiling) {
    for (const auto& [name, value, error] : slices_of(score)) {
        core::ScoreSlice slice{name, value, value, error, {}, {}};
        if (ceiling) {
            const auto limit = ceiling_of(name, *ceiling);
            slice.ceiling = limit.value;
            slice.ceiling_error = limit.error;
        }
        record.slices.push_back(std::move(slice));
    }
    record.raw_value = score.value;
    record.error = score.error;
    if (ceiling) record.ceiling = core::CeilingValue{ceiling->value, ceiling->error};
    if (record.normalisation == metrics::neuroid_wise && ceiling)
        record.value = neuroid_wise_value(score, *ceiling);
    else
        put_values(record);
}

bool normalise_again(core::ScoreRecord& record, const std::string& normalisation) {
    const bool has_ceilings =
        record.ceiling && std::all_of(record.slices.begin(), record.slices.end(),
                                      [](const auto& slice) { return slice.ceiling.has_value(); });
    if (!record.raw_value || (!has_ceilings && normalisation != "none")) return false;
    record.normalisation = normalisation;
    put_values(record);
    return true;
}

void normalise_neuroids_again(core::ScoreRecord& record, const core::Assembly& raw,
                              const core::CeilingValue& ceiling) {
    core::Score score;
    score.raw = raw;
    record.value = neuroid_wise_value(score, ceiling);
    record.normalisation = metrics::neuroid_wise;
}

core::CeilingValue ceiling_value(const core::Score& score) {
    core::CeilingValue ceiling{score.value, score.error, slices_of(score)};
    if (ceiling.slices.empty() && core::has_dimension(score.raw, "neuroid"))
        ceiling.neuroids = metrics::mean_over_splits(score.raw);
    return ceiling;
}

}  // namespace ventral::pipeline

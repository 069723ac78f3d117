#include "metrics/normalisation.hpp"

#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

/// The raw ceiling of each neuroid, its splits averaged.
core::Assembly neuroid_ceilings(const core::Assembly& raw) {
    if (raw.dims.size() != 2 || raw.dims[0].name != "split") return raw;
    const auto values = core::as_float64(raw.values);
    const std::size_t neuroids = raw.dims[1].size;
    core::Assembly result{raw.name, {raw.dims[1]}, {}, {}, raw.attributes};
    for (const auto& labels : raw.coordinates)
        if (labels.dim != "split") result.coordinates.push_back(labels);
    std::vector<double> means;
    for (std::size_t j = 0; j < neuroids; ++j) {
        std::vector<double> splits;
        for (std::size_t i = j; i < values.size(); i += neuroids) splits.push_back(values[i]);
        means.push_back(stats::nan_mean(splits));
    }
    result.values = std::move(means);
    return result;
}

void check_one_per_neuroid(const core::Assembly& raw, const char* what) {
    if (raw.dims.size() == 1 && raw.dims[0].name == "neuroid") return;
    throw core::InputError(std::string("neuroid_wise_explained_var: the raw ") + what +
                           " is not one number per neuroid (it is needed for each neuroid alone)");
}

void check_same_neuroids(const core::Assembly& score, const core::Assembly& ceiling) {
    const auto fail = [](const std::string& why) {
        throw core::InputError(
            "neuroid_wise_explained_var: the neuroids of score and ceiling are "
            "not the same in the same order (" +
            why + ") compute the ceiling of the recordings that are scored");
    };
    if (score.dims[0].size != ceiling.dims[0].size)
        fail(std::to_string(score.dims[0].size) + " and " + std::to_string(ceiling.dims[0].size));
    if (score.coordinates.size() != ceiling.coordinates.size())
        fail("they have different coordinates");
    for (const auto& labels : score.coordinates) {
        const bool there = core::find_coordinate(ceiling, labels.name) != nullptr;
        if (!there || core::texts(score, labels.name) != core::texts(ceiling, labels.name))
            fail("'" + labels.name + "' differs");
    }
}

}  // namespace

const std::vector<std::string>& normalisations() {
    static const std::vector<std::string> names = {"explained_variance", "ceil_score", "none"};
    return names;
}

double normalise(const std::string& normalisation, double value, double ceiling) {
    if (normalisation == "explained_variance") return value * value / ceiling;
    if (normalisation == "ceil_score") return value / ceiling;
    if (normalisation == "none") return value;
    throw core::InputError("normalisation '" + normalisation + "' is not supported" +
                           core::near_names(normalisation, normalisations()));
}

core::Score neuroid_wise_explained_var(
    const core::Score& score, const core::Score& ceiling,
    const std::function<double(std::span<const double>)>& aggregate) {
    const auto ceilings = neuroid_ceilings(ceiling.raw);
    check_one_per_neuroid(score.raw, "score");
    check_one_per_neuroid(ceilings, "ceiling");
    check_same_neuroids(score.raw, ceilings);
    const auto r = core::as_float64(score.raw.values);
    const auto limits = core::as_float64(ceilings.values);
    std::vector<double> ceiled;
    for (std::size_t j = 0; j < r.size(); ++j) ceiled.push_back(r[j] * r[j] / limits[j]);
    core::Score result = score;
    result.value = aggregate(ceiled);
    result.raw.values = std::move(ceiled);
    return result;
}

}  // namespace ventral::metrics

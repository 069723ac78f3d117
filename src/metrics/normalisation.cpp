#include "metrics/normalisation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "core/errors.hpp"

namespace ventral::metrics {
namespace {

bool has_splits(const core::Assembly& raw) {
    return raw.dims.size() == 2 && raw.dims[0].name == "split" && raw.dims[1].name == "neuroid";
}

void check_of_neuroids(const core::Assembly& raw, const char* what) {
    if (has_splits(raw) || (raw.dims.size() == 1 && raw.dims[0].name == "neuroid")) return;
    throw core::InputError(std::string(neuroid_wise) + ": the raw " + what +
                           " is not one number per neuroid (it is needed for each neuroid alone)");
}

/// The labels of the neuroids by name.
std::map<std::string, const core::Values*> neuroid_labels(const core::Assembly& raw) {
    std::map<std::string, const core::Values*> labels;
    for (const auto& coordinate : raw.coordinates)
        if (coordinate.dim == "neuroid") labels[coordinate.name] = &coordinate.values;
    return labels;
}

/// Numbers by value, whatever their type.
bool are_same(const core::Values& some, const core::Values& others) {
    using Texts = std::vector<std::string>;
    if (std::holds_alternative<Texts>(some) || std::holds_alternative<Texts>(others))
        return some == others;
    const auto is_same = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
    };
    return std::ranges::equal(core::as_float64(some), core::as_float64(others), is_same);
}

void check_same_neuroids(const core::Assembly& score, const core::Assembly& ceiling) {
    const auto fail = [](const std::string& why) {
        throw core::InputError(
            std::string(neuroid_wise) +
            ": the neuroids of score and ceiling are "
            "not the same in the same order (" +
            why +
            ") compute the ceiling of the recordings that are scored, their neuroids sorted by "
            "neuroid_id");
    };
    const auto neuroids = core::dimension_size(score, "neuroid");
    const auto ceilings = core::dimension_size(ceiling, "neuroid");
    if (neuroids != ceilings) fail(std::to_string(neuroids) + " and " + std::to_string(ceilings));
    const auto labels = neuroid_labels(score);
    const auto others = neuroid_labels(ceiling);
    for (const auto* other : {&others, &labels})
        for (const auto& [name, values] : *other)
            if (!labels.contains(name) || !others.contains(name))
                fail("only one has the coordinate '" + name +
                     "', which 'drop' leaves out of a file");
    for (const auto& [name, values] : labels)
        if (!are_same(*values, *others.at(name))) fail("'" + name + "' differs");
}

}  // namespace

const std::vector<std::string>& normalisations() {
    static const std::vector<std::string> names = {"explained_variance", "ceil_score", neuroid_wise,
                                                   "none"};
    return names;
}

double normalise(const std::string& normalisation, double value, double ceiling) {
    if (normalisation == "explained_variance") return value * value / ceiling;
    if (normalisation == "ceil_score") return value / ceiling;
    if (normalisation == "none") return value;
    if (normalisation == neuroid_wise)
        throw core::InputError(std::string(neuroid_wise) + ": needs the values of single neuroids");
    throw core::InputError("normalisation '" + normalisation + "' is not supported" +
                           core::near_names(normalisation, normalisations()));
}

core::Assembly mean_over_splits(const core::Assembly& raw) {
    if (!has_splits(raw)) return raw;
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

core::Score neuroid_wise_explained_var(
    const core::Score& score, const core::Score& ceiling,
    const std::function<double(std::span<const double>)>& aggregate) {
    const auto ceilings = mean_over_splits(ceiling.raw);
    check_of_neuroids(score.raw, "score");
    check_of_neuroids(ceilings, "ceiling");
    check_same_neuroids(score.raw, ceilings);
    const auto limits = core::as_float64(ceilings.values);
    auto ceiled = core::as_float64(score.raw.values);
    for (std::size_t i = 0; i < ceiled.size(); ++i)
        ceiled[i] = ceiled[i] * ceiled[i] / limits[i % limits.size()];
    core::Score result = score;
    result.value = aggregate(ceiled);
    result.raw.values = std::move(ceiled);
    return result;
}

}  // namespace ventral::metrics

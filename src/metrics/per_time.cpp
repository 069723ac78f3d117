#include "metrics/per_time.hpp"

#include <algorithm>

#include "core/add_once.hpp"
#include "core/errors.hpp"
#include "core/time_bin.hpp"
#include "metrics/regression_fit.hpp"
#include "metrics/result_shape.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

core::Assembly over_time(const SortedTimeBins& bins, const std::vector<double>& values) {
    return {"data", {{"time_bin", values.size()}}, values, bins.coordinates, {}};
}

/// The raw arrays of all bins, one after the other.
core::Assembly joined(const SortedTimeBins& bins, const std::vector<core::Score>& scores) {
    const auto& first = scores.front().raw;
    core::Assembly raw{first.name, first.dims, {}, first.coordinates, first.attributes};
    raw.dims.insert(raw.dims.begin(), {"time_bin", scores.size()});
    raw.coordinates.insert(raw.coordinates.end(), bins.coordinates.begin(), bins.coordinates.end());
    std::vector<double> values;
    for (const auto& score : scores) {
        const auto more = core::as_float64(score.raw.values);
        values.insert(values.end(), more.begin(), more.end());
    }
    raw.values = std::move(values);
    core::check_consistent(raw);
    return raw;
}

void add_notes(core::Score& into, const core::Score& score) {
    merge_margins(into.margins, score.margins);
    merge_route(into.route, score.route);
    for (const auto& warning : score.warnings) core::add_once(into.warnings, warning);
}

}  // namespace

SortedTimeBins sorted_time_bins(const core::Assembly& assembly) {
    if (core::dimension_size(assembly, "time_bin") == 0)
        throw core::InputError("the assembly '" + assembly.name + "' has no time bin");
    const auto& starts = core::time_bin_edges(assembly, "time_bin_start");
    SortedTimeBins bins;
    bins.positions = core::sorted_positions({&starts.values}, core::value_count(starts.values));
    for (const auto& labels : assembly.coordinates)
        if (labels.dim == "time_bin")
            bins.coordinates.push_back(
                {labels.name, "time_bin", core::take(labels.values, bins.positions)});
    return bins;
}

void require_same_bin_starts(const SortedTimeBins& source, const SortedTimeBins& target) {
    const auto starts = [](const SortedTimeBins& bins) {
        const auto found = std::find_if(
            bins.coordinates.begin(), bins.coordinates.end(),
            [](const core::Coordinate& labels) { return labels.name == "time_bin_start"; });
        return core::as_float64(found->values);
    };
    if (starts(source) != starts(target))
        throw core::InputError(
            "the time bins of the model's features and of the recordings do not begin at the same "
            "times (a metric per time bin pairs them) record the model at the recordings' bins");
}

core::Assembly at_time_bin(const core::Assembly& assembly, std::size_t position) {
    return core::squeeze(core::take(assembly, "time_bin", {position}), "time_bin");
}

core::Score score_time_bins(const SortedTimeBins& bins,
                            const std::function<core::Score(std::size_t bin)>& score) {
    std::vector<core::Score> scores;
    std::vector<double> values;
    std::vector<double> errors;
    core::Score result;
    for (std::size_t bin = 0; bin < bins.positions.size(); ++bin) {
        scores.push_back(score(bin));
        values.push_back(scores.back().value);
        if (scores.back().error) errors.push_back(*scores.back().error);
        add_notes(result, scores.back());
    }
    result.value = stats::nan_mean(values);
    result.value_array = over_time(bins, values);
    if (errors.size() == scores.size()) {
        result.error = stats::nan_mean(errors);
        result.error_array = over_time(bins, errors);
    }
    result.raw = joined(bins, scores);
    if (const auto& last = result.raw.dims.back(); last.name == "neuroid")
        result.undefined_neuroids =
            undefined_neuroids(std::get<std::vector<double>>(result.raw.values), last.size);
    return result;
}

core::Score per_time(const core::Assembly& assembly,
                     const std::function<core::Score(const core::Assembly& bin)>& score) {
    const SortedTimeBins bins = sorted_time_bins(assembly);
    return score_time_bins(
        bins, [&](std::size_t bin) { return score(at_time_bin(assembly, bins.positions[bin])); });
}

}  // namespace ventral::metrics

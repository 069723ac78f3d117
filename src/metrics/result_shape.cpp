#include "metrics/result_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "core/counted.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

std::size_t splits_of(const ResultShape& shape, std::span<const double> table) {
    return shape.columns() == 0 ? 0 : table.size() / shape.columns();
}

core::Assembly raw_table(const ResultShape& shape, std::span<const double> table) {
    core::Assembly raw;
    raw.values = std::vector<double>(table.begin(), table.end());
    if (!shape.single_split) {
        std::vector<std::int64_t> splits(splits_of(shape, table));
        std::iota(splits.begin(), splits.end(), 0);
        raw.dims.push_back({"split", splits.size()});
        raw.coordinates.push_back({"split", "split", splits});
    }
    if (shape.time_bins > 0) raw.dims.push_back({"time_bin", shape.time_bins});
    if (!shape.whole) {
        raw.dims.push_back({"neuroid", shape.neuroids()});
        raw.coordinates.insert(raw.coordinates.end(), shape.neuroid_coordinates.begin(),
                               shape.neuroid_coordinates.end());
    }
    raw.coordinates.insert(raw.coordinates.end(), shape.time_coordinates.begin(),
                           shape.time_coordinates.end());
    return raw;
}

struct Aggregate {
    double value = 0;
    double error = 0;
};

/// Of the columns [first, first + count) of the table.
Aggregate aggregate_columns(const ResultShape& shape, std::span<const double> table,
                            std::size_t first, std::size_t count) {
    std::vector<double> medians;
    for (std::size_t split = 0; split < splits_of(shape, table); ++split)
        medians.push_back(stats::nan_median(table.subspan(split * shape.columns() + first, count)));
    return {stats::nan_mean(medians),
            stats::nan_std(medians) / std::sqrt(static_cast<double>(medians.size()))};
}

core::Assembly over_time(const ResultShape& shape, std::vector<double> values) {
    core::Assembly array;
    array.values = std::move(values);
    array.dims = {{"time_bin", shape.time_bins}};
    array.coordinates = shape.time_coordinates;
    return array;
}

void aggregate_per_time_bin(const ResultShape& shape, std::span<const double> table,
                            core::Score& score) {
    std::vector<double> values;
    std::vector<double> errors;
    for (std::size_t bin = 0; bin < shape.time_bins; ++bin) {
        const auto of_bin =
            aggregate_columns(shape, table, bin * shape.neuroids(), shape.neuroids());
        values.push_back(of_bin.value);
        errors.push_back(of_bin.error);
    }
    score.value = stats::nan_mean(values);
    score.error = stats::nan_mean(errors);
    score.value_array = over_time(shape, std::move(values));
    score.error_array = over_time(shape, std::move(errors));
}

/// Of a metric that compares what it has of a split at once.
std::string undefined_comparison(const ResultShape& shape, std::span<const double> table) {
    const std::string cause = " (constant or missing responses or features, or too few)";
    if (splits_of(shape, table) == 1) return "the comparison is undefined" + cause;
    const auto undefined =
        std::count_if(table.begin(), table.end(), [](double value) { return std::isnan(value); });
    return "the comparison is undefined in " + std::to_string(undefined) + " of " +
           std::to_string(table.size()) + " splits" + cause + "; mean and error skip them";
}

/// How many of the neuroids have no number at all.
std::size_t never_defined(const ResultShape& shape, std::span<const double> table) {
    std::vector<char> never(shape.neuroids(), 1);
    for (std::size_t i = 0; i < table.size(); ++i)
        if (!std::isnan(table[i])) never[i % never.size()] = 0;
    return static_cast<std::size_t>(std::count(never.begin(), never.end(), 1));
}

std::string undefined_correlations(const ResultShape& shape, std::span<const double> table,
                                   std::size_t undefined) {
    const auto never = never_defined(shape, table);
    const auto of_all = " of " + core::counted(shape.neuroids(), "neuroid");
    const std::string cause =
        " (constant or missing responses, or constant predictions); they are skipped there";
    if (never == undefined) return std::to_string(never) + of_all + " without correlation" + cause;
    return std::to_string(undefined) + of_all + " without correlation in some split, " +
           (never == 0 ? "none" : std::to_string(never)) + " in all" + cause;
}

void count_undefined(const ResultShape& shape, std::span<const double> table, core::Score& score) {
    score.undefined_neuroids = undefined_neuroids(table, shape.whole ? 1 : shape.neuroids());
    if (score.undefined_neuroids == 0) return;
    score.warnings.push_back(shape.whole
                                 ? undefined_comparison(shape, table)
                                 : undefined_correlations(shape, table, score.undefined_neuroids));
}

}  // namespace

std::size_t ResultShape::columns() const {
    if (whole) return 1;
    return neuroids() * (time_bins > 0 ? time_bins : 1);
}

std::size_t undefined_neuroids(std::span<const double> values, std::size_t neuroids) {
    std::vector<char> undefined(neuroids, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i])) undefined[i % neuroids] = 1;
    return static_cast<std::size_t>(std::count(undefined.begin(), undefined.end(), 1));
}

core::Score aggregate(const ResultShape& shape, std::span<const double> table) {
    core::Score score;
    if (shape.time_bins > 0) {
        aggregate_per_time_bin(shape, table, score);
    } else {
        const auto all = aggregate_columns(shape, table, 0, shape.columns());
        score.value = all.value;
        if (!shape.single_split) score.error = all.error;
    }
    score.raw = raw_table(shape, table);
    count_undefined(shape, table, score);
    return score;
}

}  // namespace ventral::metrics

#include "metrics/bootstrap_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/errors.hpp"
#include "stats/folds/pcg64.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::metrics {
namespace {

/// The values at the chosen positions of every dimension, row-major.
std::vector<double> chosen_values(const std::vector<double>& values,
                                  const std::vector<std::vector<std::size_t>>& positions) {
    std::vector<std::size_t> places = {0};
    for (const auto& along : positions) {
        std::vector<std::size_t> finer;
        finer.reserve(places.size() * along.size());
        for (const auto place : places)
            for (const auto position : along) finer.push_back(place * along.size() + position);
        places = std::move(finer);
    }
    std::vector<double> chosen;
    chosen.reserve(places.size());
    for (const auto place : places) chosen.push_back(values[place]);
    return chosen;
}

double sample_deviation(std::vector<double> values) {
    const auto n = static_cast<double>(values.size());
    const double mean = stats::sum(values) / n;
    for (double& value : values) value = (value - mean) * (value - mean);
    return std::sqrt(stats::sum(values) / (n - 1));
}

}  // namespace

double bootstrap_error(const core::Assembly& values, const BootstrapOptions& options) {
    const auto numbers = core::as_float64(values.values);
    std::vector<std::vector<std::size_t>> positions;
    for (const auto& dim : values.dims) {
        positions.emplace_back(dim.size);
        std::iota(positions.back().begin(), positions.back().end(), std::size_t{0});
    }
    std::vector<std::size_t> resampled;
    for (const auto& name : options.over) {
        if (std::count(options.over.begin(), options.over.end(), name) > 1)
            throw core::InputError("dimension '" + name + "' is named twice");
        resampled.push_back(core::dimension_index(values, name));
        if (values.dims[resampled.back()].size == 0)
            throw core::InputError(values.name + ": dimension '" + name +
                                   "' is empty (nothing can be drawn from it)");
    }
    stats::Pcg64 random(options.seed);
    std::vector<double> drawn;
    for (std::size_t i = 0; i < options.resamples; ++i) {
        for (const auto dim : resampled)
            positions[dim] = random.integers(values.dims[dim].size, values.dims[dim].size);
        const double aggregate = options.aggregate(chosen_values(numbers, positions));
        if (std::isfinite(aggregate)) drawn.push_back(aggregate);
    }
    if (drawn.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    return sample_deviation(std::move(drawn));
}

}  // namespace ventral::metrics

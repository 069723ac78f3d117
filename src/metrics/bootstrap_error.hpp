#pragma once
/// @file
/// The error of a score by resampling what it was averaged over.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {

struct BootstrapOptions {
    std::vector<std::string> over;  ///< dimensions that are resampled, independently of each other
    std::size_t resamples = 1000;
    std::uint64_t seed = 0;
    /// Of all values of a resample, row-major, to one number.
    std::function<double(std::span<const double>)> aggregate = stats::nan_mean;
};

/// Brain-Score's `bootstrap_error` (NUMERICS section 9): standard deviation (ddof 1) of the finite
/// aggregates of resamples with replacement, drawn by NumPy's `default_rng(seed)`; NaN if fewer
/// than two are finite. Exact but for rounding. Throws `core::InputError` if a dimension is missing
/// or empty, or the values are strings.
double bootstrap_error(const core::Assembly& values, const BootstrapOptions& options);

}  // namespace ventral::metrics

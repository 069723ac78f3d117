#pragma once
/// @file
/// What becomes of a raw score once the ceiling is known (NUMERICS section 10).

#include <string>
#include <vector>

namespace ventral::metrics {

/// "explained_variance": value² / ceiling, unclipped, the sign lost. "ceil_score": value / ceiling.
/// "none": the value. Errors are copied unscaled by the reference, so there is nothing to do to
/// them. A NaN in gives NaN out. Throws `core::InputError` for another name.
double normalise(const std::string& normalisation, double value, double ceiling);

/// The names that `normalise` takes.
const std::vector<std::string>& normalisations();

}  // namespace ventral::metrics

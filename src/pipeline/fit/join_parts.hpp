#pragma once
/// @file
/// The outcome of a score that was fitted in parts (`plan/fit_parts.hpp`).

#include <vector>

#include "pipeline/fit/fit.hpp"

namespace ventral::pipeline {

/// What became of the score of all parts, given in their order; `whole` is its plan for features
/// that do not change.
FitOutcome join_parts(const FitTask& whole, const std::vector<FitOutcome>& parts);

}  // namespace ventral::pipeline

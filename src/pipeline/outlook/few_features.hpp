#pragma once
/// @file
/// PLS needs as many features as components; which scores of a plan cannot have them is told before
/// the run.

#include <cstddef>
#include <string>
#include <vector>

#include "config/run_record.hpp"
#include "pipeline/outlook/estimate.hpp"
#include "pipeline/plan/plan.hpp"

namespace ventral::pipeline {

struct FewFeatures {
    std::size_t unit;   ///< of the plan
    std::size_t score;  ///< of the unit
    std::string text;   ///< a sentence
};

/// One for each score with PLS whose layers have fewer features than it has components,
/// after the model's PCA if there is one. `estimates` are those of the plan's first units and tell
/// the sizes of layers; of units without one only a PCA that leaves too few is found.
std::vector<FewFeatures> few_features(const config::RunRecord& run, const RunPlan& plan,
                                      const std::vector<UnitEstimate>& estimates);

}  // namespace ventral::pipeline

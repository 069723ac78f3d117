#pragma once
/// @file
/// Stored features that cannot be of one network.

#include <string>
#include <vector>

#include "pipeline/outlook/estimate.hpp"

namespace ventral::pipeline {

/// Of each layer that has not as many features on every dataset, what a user is told; a layer of
/// which nothing is known has 0.
std::vector<std::string> unlike_layers(const std::vector<UnitEstimate>& units);

}  // namespace ventral::pipeline

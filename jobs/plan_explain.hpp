#pragma once
/// @file
/// What `ventral plan --explain` says.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "pipeline/outlook/explain.hpp"

namespace ventral::jobs {

/// A line a score on stdout.
void print_explanations(const std::vector<pipeline::ScoreExplanation>& scores);

void add_explanations(nlohmann::ordered_json& json,
                      const std::vector<pipeline::ScoreExplanation>& scores);

}  // namespace ventral::jobs

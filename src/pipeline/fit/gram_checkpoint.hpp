#pragma once
/// @file
/// Grams of layers on disk.

#include <optional>
#include <string>

#include "pipeline/fit/layer_gram.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// The Gram from the checkpoint of `key`, or nothing if there is none that is whole. Collective.
std::optional<LayerGram> load_gram(const std::string& key, TeamContext& context);

/// Writes the checkpoint of `key`. One that cannot be written is a warning.
void keep_gram(const LayerGram& gram, const std::string& key, const TeamContext& context);

}  // namespace ventral::pipeline

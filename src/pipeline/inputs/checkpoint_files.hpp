#pragma once
/// @file
/// What the files are called in which a run keeps activations, projections of them and Grams.

#include <filesystem>
#include <string>
#include <vector>

namespace ventral::pipeline {

/// Of the checkpoint of a Gram; `key` is its `gram_key`.
std::string gram_path(const std::string& out, const std::string& key);

/// In OUT/activations: of some layers, `prefix` being the `activations_prefix`.
std::string activations_path(const std::string& out, const std::string& prefix,
                             const std::vector<std::string>& layers);
/// The `activations_prefix` of such a file; empty for others.
std::string prefix_in_name(const std::filesystem::path& file);

/// In OUT/activations: of a layer's projection, by its `projected_layer_key`.
std::string projection_path(const std::string& out, const std::string& key);
/// The key of such a file; empty for others.
std::string key_in_projection_name(const std::filesystem::path& file);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Makes a file of activations with everything in it but the activations. For `ActivationsWriter`.

#include <string>

#include "io/activations_file.hpp"

namespace ventral::io {

constexpr std::int64_t activations_format = 1;
constexpr std::size_t chunk_features = 4096;
constexpr auto activations_name = "activations";

/// Creates the file at `path` with one rank: attributes, groups, coordinates (strings cannot be
/// written in parallel) and datasets without values, but with all of their space taken on the disk.
/// It is marked as unfinished. Throws `InputError`, also for a layer name that is empty, has a '/'
/// or stands twice, and for a full disk.
void create_activations_file(const std::string& path, const ActivationsHeader& header);

/// Marks a file whose rows are all written as finished.
void mark_finished(const std::string& path);

}  // namespace ventral::io

#pragma once
/// @file
/// Files as the metrics take them: features that are read by columns, recordings with their path.

#include <cstddef>
#include <optional>
#include <string>

#include "io/netcdf_assembly.hpp"
#include "metrics/score_assemblies.hpp"

namespace ventral::jobs {

/// Throws `core::InputError` if the layer of a file that `extract` has written is not as it was
/// written. Other files have no checksums.
void verify_layer(const std::string& path, const io::AssemblyRequest& request);

/// Opens the file, and reads all of it if `verify_layer` does; its values are read when the metric
/// asks for them, and inflated by so many threads beside the reading one. Throws `core::InputError`
/// with the path, also if the values are neither float32 nor float64.
metrics::Features open_features(const std::string& path, const io::AssemblyRequest& request,
                                std::size_t threads);

/// The whole assembly. Throws likewise.
metrics::Recordings read_recordings(const std::string& path, const io::AssemblyRequest& request);

}  // namespace ventral::jobs

#pragma once
/// @file
/// Files as the metrics take them: features that are read by columns, recordings with their path.

#include <cstddef>
#include <string>

#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/score_assemblies.hpp"

namespace ventral::jobs {

/// Opens the file; its values are read when the metric asks for them, and inflated by so many
/// threads beside the reading one. A layer that `extract` has written is read once for its checksum
/// before. Throws `core::InputError` with the path if that is wrong, and if the values are neither
/// float32 nor float64.
metrics::Features open_features(const std::string& path, const io::AssemblyRequest& request,
                                std::size_t threads);

/// The whole assembly, of recordings or of features. Throws likewise. The units of a layer get a
/// `neuroid_id` of its name and their number.
metrics::AssemblyOfFile read_recordings(const std::string& path,
                                        const io::AssemblyRequest& request);

}  // namespace ventral::jobs

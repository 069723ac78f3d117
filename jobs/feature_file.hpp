#pragma once
/// @file
/// Files as the metrics take them: features that are read by columns, recordings with their path.

#include <memory>
#include <optional>
#include <string>

#include "core/workers.hpp"
#include "io/netcdf_assembly.hpp"
#include "metrics/score_assemblies.hpp"

namespace ventral::jobs {

/// Opens the file; its values are read when the metric asks for them, by one thread, and inflated
/// by these workers, which nobody else may use. Throws `core::InputError` with the path, also if
/// the values are neither float32 nor float64.
metrics::Features open_features(const std::string& path, const io::AssemblyRequest& request,
                                const std::shared_ptr<core::Workers>& inflaters);

metrics::Recordings read_recordings(const std::string& path, const io::AssemblyRequest& request);

}  // namespace ventral::jobs

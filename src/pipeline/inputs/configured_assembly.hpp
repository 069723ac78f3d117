#pragma once
/// @file
/// Assemblies that the configuration names: recordings, stored features.

#include <string>

#include "benchmarks/dataset_record.hpp"
#include "core/assembly.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::pipeline {

/// What to read of such a file, for its data variable `variable` where that is not empty.
io::AssemblyRequest configured_request(const std::string& variable);

/// What to read of recordings; the assembly's name is the path.
io::AssemblyRequest recordings_request(const benchmarks::DataFile& file);

/// The assembly of a file, or of its data variable `variable` where that is not empty; its name is
/// the path. Throws `core::InputError` as `io::read_assembly` does.
core::Assembly read_configured(const std::string& path, const std::string& variable);

}  // namespace ventral::pipeline

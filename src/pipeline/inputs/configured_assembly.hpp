#pragma once
/// @file
/// Assemblies that the configuration names: recordings, stored features.

#include <string>

#include "core/assembly.hpp"
#include "io/netcdf/netcdf_assembly.hpp"

namespace ventral::pipeline {

/// What to read of such a file, for its data variable `variable` where that is not empty.
io::AssemblyRequest configured_request(const std::string& variable);

/// The assembly of a file, or of its data variable `variable` where that is not empty, or the part
/// of it that is `wanted`; its name is the path. Throws `core::InputError` as `io::read_assembly`
/// does.
core::Assembly read_configured(const std::string& path, const std::string& variable,
                               const io::PartWanted& wanted = {});

}  // namespace ventral::pipeline

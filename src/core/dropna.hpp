#pragma once
/// @file
/// Leaves out what was not measured, as xarray's `DataArray.dropna` does.

#include <string>

#include "core/assembly.hpp"

namespace ventral::core {

/// The assembly without those entries of `dim` that have a NaN anywhere; texts have none. Throws
/// `InputError` if there is no such dimension or nothing is left of it.
Assembly dropna(Assembly assembly, const std::string& dim);

}  // namespace ventral::core

#pragma once
/// @file
/// Assemblies in netCDF-4 files, as xarray and BrainIO write and read them.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/select.hpp"

namespace ventral::io {

/// What to read of a file that holds more than one assembly.
struct AssemblyRequest {
    std::optional<std::string> variable;  ///< the data variable; else the only one there is
    std::optional<std::string> layer;     ///< the group, as in a file of activations
    /// How the user can name them, for messages; empty: there is no way.
    std::string variable_choice = "--variable";
    std::string layer_choice = "--layer";
    std::set<std::string> neuroid_labels = {};  ///< that `AssemblyFile` reads too
    std::string name = {};                      ///< of the assembly; empty: that of its variable
    /// Coordinates: the file's name of each → what it is called here; empty: it is left out.
    std::map<std::string, std::string> renamed = {};
};

/// Which part of an assembly is wanted, by what its labels say: it has no values yet. So many bytes
/// of its file are in memory at once while the part is read.
using PartWanted =
    std::function<core::Positions(const core::Assembly& labels, std::size_t read_at_once)>;

/// What is read of a file at once for a part of it, where chunks are not larger.
inline constexpr std::size_t most_part_bytes = 16 << 20;

/// Reads an assembly. The data variable is the only one that is not a coordinate, or the only one
/// of two or more dims if the others are along a single dim of it; coordinates are the variables
/// that an attribute `coordinates` names and those named as their dimension; in a file that names
/// none every variable along a single dim of the data is one too. Data keep
/// float32, float64, int64 or string; of coordinates, float32 becomes float64 and bool int64. Fill
/// values are NaN, `scale_factor` and `add_offset` are applied. Coordinates of no dim become
/// attributes, those of two are left out. What the request names is renamed or left out, and then
/// `image_id` is renamed to `stimulus_id` if there is none.
///
/// Throws `InputError` for a missing, damaged or foreign file, for an unknown variable, layer or
/// coordinate to rename (with near names), for a new name that is taken, and if several variables
/// could be the data.
///
/// Of a part that is `wanted` it gives each entry once, in the order of the file. Numbers beside it
/// are not in memory, but for chunks of the file.
core::Assembly read_assembly(const std::string& path, const AssemblyRequest& request = {},
                             const PartWanted& wanted = {});

/// The labels alone, with no values, though of their type. Throws likewise.
core::Assembly read_labels(const std::string& path, const AssemblyRequest& request = {});

/// Names of the groups, which are the layers of a file of activations and the assemblies of an
/// `AssembliesWriter`.
std::vector<std::string> assembly_groups(const std::string& path);

/// The groups of a file that has no variables beside them, as the layers of a file of activations
/// are; none of any other file. Throws `InputError` for a missing, damaged or foreign file.
std::vector<std::string> layer_groups(const std::string& path);

/// Writes a netCDF-4 file that xarray opens with all coordinates attached. Durable: a temporary
/// name until it is whole and on disk. NaN attributes and values are kept. Throws `OutputError`
/// with the path if it cannot be written, for example on a full disk.
void write_assembly(const std::string& path, const core::Assembly& assembly);

}  // namespace ventral::io

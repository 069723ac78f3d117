#pragma once
/// @file
/// Several assemblies in one netCDF-4 file, each in the group of its name, written one after the
/// other: no more than one has to be in memory.

#include <optional>
#include <string>

#include "core/assembly.hpp"
#include "io/disk/durable_file.hpp"
#include "io/hdf5/hdf5_output.hpp"

namespace ventral::io {

/// Durable: a temporary name until it is whole and on disk.
class AssembliesWriter {
public:
    /// Throws `core::OutputError` if there can be no such file.
    explicit AssembliesWriter(const std::string& path);

    /// Writes the assembly, whose name no other has, as xarray opens it with all coordinates
    /// attached; numbers with checksums. Dims of equal names are one dimension. Throws
    /// `core::OutputError` if the disk fails, `InputError` if there is no such netCDF variable.
    void add(const core::Assembly& assembly);

    /// An attribute of the file itself.
    void describe(const std::string& name, const std::string& text);

    /// Gives the file its name, to which nothing can be added. Throws `core::OutputError`.
    void commit();

private:
    std::string path_;
    TemporaryName name_;
    Hdf5Output output_;
};

/// What `describe` has written; nothing if the file cannot be read or says nothing of it.
std::optional<std::string> description_in(const std::string& path, const std::string& name);

}  // namespace ventral::io

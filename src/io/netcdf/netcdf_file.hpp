#pragma once
/// @file
/// An open netCDF file and its errors as exceptions.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/steady_size.hpp"

namespace ventral::io {

/// Throws `InputError` "path: cannot DOING (what netCDF says)" unless `status` is NC_NOERR, a
/// `TransientError` if it is because of an error of the system that may pass.
void check_netcdf(int status, const std::string& path, const std::string& doing);

/// A netCDF identifier, closed with the last that has it. A file that is open already is not opened
/// once more: HDF5 loses what strings are filled with when one of several that have a file open
/// closes it. Whoever sets the cache of a variable sets it for all.
class NetcdfFile {
public:
    /// For reading. Throws `InputError` if the file is missing, damaged, cut short or not netCDF,
    /// `TransientError` if it is open already and has changed since.
    static NetcdfFile open(const std::string& path);
    /// Whether this process has the file open; a child of it must not read it then, for both have
    /// one position in the file.
    static bool is_open(const std::string& path);
    /// A new netCDF-4 file in memory. `path` is for messages.
    static NetcdfFile create(const std::string& path);

    int id() const;
    const std::string& path() const { return path_; }
    /// The same file, of netCDF-4, as HDF5 has it; open as long as this is. Throws `InputError`, a
    /// `TransientError` if another file has taken its name.
    const Hdf5Handle& as_hdf5() const;
    /// `check_netcdf` after values have been read; throws `core::TransientError` if the file has
    /// been cut short or grown meanwhile (see `SteadySize`).
    void check_read(int status, const std::string& doing) const;
    /// The bytes of a file made with `create`, and its end.
    std::string close();

private:
    struct Identifier;

    NetcdfFile(std::shared_ptr<Identifier> identifier, std::string path,
               std::optional<SteadySize> size);
    std::shared_ptr<Identifier> identifier_;
    std::string path_;
    std::optional<SteadySize> size_;  ///< of a file that is read
};

/// Names of the groups directly in `group`, in the order of the file.
std::vector<std::string> group_names(const NetcdfFile& file, int group);

}  // namespace ventral::io

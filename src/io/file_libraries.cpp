#include "io/file_libraries.hpp"

#include <hdf5.h>
#include <netcdf.h>

namespace ventral::io {

std::string file_libraries() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    const std::string netcdf = nc_inq_libvers();  // "4.9.0 of …"
    return "HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(release) + ", netCDF " + netcdf.substr(0, netcdf.find(' '));
}

}  // namespace ventral::io

#include "io/netcdf_file.hpp"

#include <utility>

#include <netcdf.h>

#include "core/errors.hpp"
#include "io/hdf5_handle.hpp"
#include "io/input_file.hpp"

namespace ventral::io {

void check_netcdf(int status, const std::string& path, const std::string& doing) {
    if (status == NC_NOERR) return;
    throw core::InputError(path + ": cannot " + doing + " (" + nc_strerror(status) + ")");
}

NetcdfFile NetcdfFile::open(const std::string& path) {
    prepare_hdf5();
    require_regular_file(path);
    int id = -1;
    check_netcdf(nc_open(path.c_str(), NC_NOWRITE, &id), path,
                 "open it as netCDF: damaged, cut short or another kind of file");
    return {id, path};
}

NetcdfFile NetcdfFile::create(const std::string& path) {
    prepare_hdf5();
    int id = -1;
    check_netcdf(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id), path,
                 "create the netCDF file");
    return {id, path};
}

NetcdfFile::NetcdfFile(int id, std::string path) : id_(id), path_(std::move(path)) {}

NetcdfFile::~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
}

NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept
    : id_(std::exchange(other.id_, -1)), path_(std::move(other.path_)) {}

void NetcdfFile::close() {
    check_netcdf(nc_close(std::exchange(id_, -1)), path_, "finish writing");
}

std::vector<std::string> group_names(const NetcdfFile& file, int group) {
    int count = 0;
    check_netcdf(nc_inq_grps(group, &count, nullptr), file.path(), "list the groups");
    std::vector<int> ids(static_cast<std::size_t>(count));
    check_netcdf(nc_inq_grps(group, &count, ids.data()), file.path(), "list the groups");
    std::vector<std::string> names;
    for (const int id : ids) {
        char name[NC_MAX_NAME + 1] = {};
        check_netcdf(nc_inq_grpname(id, name), file.path(), "read the name of a group");
        names.emplace_back(name);
    }
    return names;
}

}  // namespace ventral::io

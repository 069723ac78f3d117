#include "io/netcdf_file.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include <netcdf.h>
#include <netcdf_mem.h>

#include "core/errors.hpp"
#include "io/classic_netcdf.hpp"
#include "io/hdf5_handle.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t first_size = 1 << 16;  // of a file in memory; it grows

}  // namespace

void check_netcdf(int status, const std::string& path, const std::string& doing) {
    if (status == NC_NOERR) return;
    const auto problem = path + ": cannot " + doing;
    if (status > 0) core::throw_system_error(problem, status);
    if (const int error = take_passing_error()) core::throw_system_error(problem, error);
    throw core::InputError(problem + " (" + nc_strerror(status) + ")");
}

NetcdfFile NetcdfFile::open(const std::string& path) {
    prepare_hdf5();
    SteadySize size(path);
    require_whole_classic(path);
    take_passing_error();
    int id = -1;
    const int status = nc_open(path.c_str(), NC_NOWRITE, &id);
    prepare_hdf5();  // when netCDF opens its first file, it lets HDF5 note nothing
    check_netcdf(status, path, "open it as netCDF: damaged, cut short or another kind of file");
    return {id, path, std::move(size)};
}

NetcdfFile NetcdfFile::create(const std::string& path) {
    prepare_hdf5();
    int id = -1;
    check_netcdf(nc_create_mem(path.c_str(), NC_NETCDF4, first_size, &id), path,
                 "create the netCDF file");
    return {id, path, std::nullopt};
}

NetcdfFile::NetcdfFile(int id, std::string path, std::optional<SteadySize> size)
    : id_(id), path_(std::move(path)), size_(std::move(size)) {}

NetcdfFile::~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
}

NetcdfFile::NetcdfFile(NetcdfFile&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      path_(std::move(other.path_)),
      size_(std::move(other.size_)) {}

void NetcdfFile::check_read(int status, const std::string& doing) const {
    if (size_) size_->require(path_);
    check_netcdf(status, path_, doing);
}

std::string NetcdfFile::close() {
    NC_memio image{};
    check_netcdf(nc_close_memio(std::exchange(id_, -1), &image), path_, "finish writing");
    const std::unique_ptr<void, void (*)(void*)> memory(image.memory, std::free);
    return {static_cast<const char*>(image.memory), image.size};
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

#include "io/netcdf/netcdf_file.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include <netcdf.h>
#include <netcdf_mem.h>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/netcdf/classic_netcdf.hpp"

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

namespace {

struct FileName {
    dev_t device;
    ino_t inode;
    auto operator<=>(const FileName&) const = default;
};

/// What tells that a file has been changed.
struct FileState {
    off_t size;
    std::pair<time_t, long> written;  ///< seconds and nanoseconds, which `touch` may set back
    std::pair<time_t, long> changed;  ///< which nobody may
    bool operator==(const FileState&) const = default;
};

/// Zeros if there is no such file: opening it will say so.
std::pair<FileName, FileState> look_at(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) return {};
    return {{about.st_dev, about.st_ino},
            {about.st_size,
             {about.st_mtim.tv_sec, about.st_mtim.tv_nsec},
             {about.st_ctim.tv_sec, about.st_ctim.tv_nsec}}};
}

}  // namespace

struct NetcdfFile::Identifier {
    int id = -1;
    FileName name = {};
    FileState state = {};
    Hdf5Handle hdf5 = {};  ///< once it is asked for; closed after `id`

    Identifier(int opened, const FileName& called, const FileState& as)
        : id(opened), name(called), state(as) {}
    ~Identifier() {
        if (id >= 0) nc_close(id);
    }
    Identifier(const Identifier&) = delete;
    Identifier& operator=(const Identifier&) = delete;

    /// Which files are open is so for the whole process, as netCDF and HDF5 have it; like these it
    /// is for one thread at a time.
    static std::map<FileName, std::weak_ptr<Identifier>>& open_files() {
        static std::map<FileName, std::weak_ptr<Identifier>> files;
        return files;
    }
    static std::shared_ptr<Identifier> find(const FileName& name) {
        const auto known = open_files().find(name);
        return known == open_files().end() ? nullptr : known->second.lock();
    }
    static std::shared_ptr<Identifier> open(const std::string& path);
};

std::shared_ptr<NetcdfFile::Identifier> NetcdfFile::Identifier::open(const std::string& path) {
    const auto [name, state] = look_at(path);
    if (auto identifier = find(name)) {
        if (identifier->state == state) return identifier;
        throw core::TransientError(path + ": was changed while it was read");
    }
    take_passing_error();
    int id = -1;
    const int status = nc_open(path.c_str(), NC_NOWRITE, &id);
    prepare_hdf5();  // when netCDF opens its first file, it lets HDF5 note nothing
    check_netcdf(status, path, "open it as netCDF: damaged, cut short or another kind of file");
    auto identifier = std::make_shared<Identifier>(id, name, state);
    std::erase_if(open_files(), [](const auto& file) { return file.second.expired(); });
    open_files()[name] = identifier;
    return identifier;
}

bool NetcdfFile::is_open(const std::string& path) {
    return Identifier::find(look_at(path).first) != nullptr;
}

NetcdfFile NetcdfFile::open(const std::string& path) {
    prepare_hdf5();
    SteadySize size(path);
    require_whole_classic(path);
    return {Identifier::open(path), path, std::move(size)};
}

NetcdfFile NetcdfFile::create(const std::string& path) {
    prepare_hdf5();
    int id = -1;
    check_netcdf(nc_create_mem(path.c_str(), NC_NETCDF4, first_size, &id), path,
                 "create the netCDF file");
    return {std::make_shared<Identifier>(id, FileName{}, FileState{}), path, std::nullopt};
}

NetcdfFile::NetcdfFile(std::shared_ptr<Identifier> identifier, std::string path,
                       std::optional<SteadySize> size)
    : identifier_(std::move(identifier)), path_(std::move(path)), size_(std::move(size)) {}

int NetcdfFile::id() const { return identifier_->id; }

const Hdf5Handle& NetcdfFile::as_hdf5() const {
    if (identifier_->hdf5) return identifier_->hdf5;
    auto opened = open_hdf5(path_);
    if (look_at(path_) != std::pair(identifier_->name, identifier_->state))
        throw core::TransientError(path_ + ": was changed while it was read");
    identifier_->hdf5 = std::move(opened);
    return identifier_->hdf5;
}

void NetcdfFile::check_read(int status, const std::string& doing) const {
    if (size_) size_->require(path_);
    check_netcdf(status, path_, doing);
}

std::string NetcdfFile::close() {
    NC_memio image{};
    check_netcdf(nc_close_memio(std::exchange(identifier_->id, -1), &image), path_,
                 "finish writing");
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

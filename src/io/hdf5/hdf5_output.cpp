#include "io/hdf5/hdf5_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "io/disk/direct_reads.hpp"
#include "io/disk/direct_writes.hpp"
#include "io/disk/sync_ahead.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t large_bytes = std::size_t{64} << 10;

/// What HDF5 hands from the property list to the driver.
struct Settings {
    int* error;
    bool values_only;  ///< what HDF5 writes of its own is left to another rank
    CopyCost cost;
};

/// An open file of the driver; HDF5 sees its first member.
struct Output {
    H5FD_t head;
    int descriptor;
    int* error;
    bool values_only;
    haddr_t allocated;
    haddr_t size;
    WriteBehind behind;
    DirectWrites direct;
    SyncAhead ahead;
};

Output& output(H5FD_t* file) { return *reinterpret_cast<Output*>(file); }
const Output& output(const H5FD_t* file) { return *reinterpret_cast<const Output*>(file); }

H5FD_t* open_output(const char* path, unsigned flags, hid_t list, haddr_t) {
    const auto* settings = static_cast<const Settings*>(H5Pget_driver_info(list));
    *settings->error = 0;  // HDF5 tries to open a file before it creates it
    int mode = O_CLOEXEC | (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY);
    if (flags & H5F_ACC_CREAT) mode |= O_CREAT;
    if (flags & H5F_ACC_EXCL) mode |= O_EXCL;
    if (flags & H5F_ACC_TRUNC) mode |= O_TRUNC;
    const int descriptor = open(path, mode, 0666);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *settings->error = errno;
        if (descriptor >= 0) close(descriptor);
        return nullptr;
    }
    // The kernel would read ahead into what others write past the page cache.
    if (settings->values_only) posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
    auto* file = new (std::nothrow) Output{{},
                                           descriptor,
                                           settings->error,
                                           settings->values_only,
                                           0,
                                           static_cast<haddr_t>(status.st_size),
                                           WriteBehind(descriptor, settings->cost),
                                           DirectWrites(descriptor),
                                           SyncAhead(descriptor)};
    if (!file) {
        close(descriptor);
        return nullptr;
    }
    return &file->head;
}

herr_t close_output(H5FD_t* file) {
    auto& out = output(file);
    for (const int late_error : {out.direct.close(), out.ahead.close()})
        if (*out.error == 0) *out.error = late_error;
    // Network file systems report a full disk only here.
    if (close(out.descriptor) != 0 && errno != EINTR && *out.error == 0) *out.error = errno;
    delete &out;
    return 0;
}

int compare_outputs(const H5FD_t* left, const H5FD_t* right) {
    return left == right ? 0 : left < right ? -1 : 1;
}

herr_t query_output(const H5FD_t*, unsigned long* flags) {
    if (flags) {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    }
    return 0;
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t) { return output(file).allocated; }

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    output(file).allocated = end;
    return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return output(file).size; }

// NOLINTBEGIN(readability-function-size): the signatures are HDF5's
herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
    auto* next = static_cast<char*>(buffer);
    output(file).direct.finish(static_cast<std::int64_t>(address), size);
    while (size > 0) {
        const auto count = pread(output(file).descriptor, next, size, static_cast<off_t>(address));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR,
                     "pread: errno = %d", errno);
            return -1;
        }
        if (count == 0) {  // beyond the end of what has been written
            std::memset(next, 0, size);
            return 0;
        }
        next += count;
        size -= static_cast<size_t>(count);
        address += static_cast<haddr_t>(count);
    }
    return 0;
}

herr_t write_output(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size,
                    const void* buffer) {
    auto& out = output(file);
    if (out.values_only && type != H5FD_MEM_DRAW) return 0;
    out.size = std::max(out.size, address + size);
    auto place = static_cast<std::int64_t>(address);
    std::span left(static_cast<const std::byte*>(buffer), size);
    // Values have their places already: such a write need not make the file longer, for which the
    // disk would be waited for. Where pages cost little they serve those who read the file next.
    if (out.values_only && *out.error == 0 && out.behind.is_dear()) {
        const auto taken = out.direct.take(place, left);
        place += static_cast<std::int64_t>(taken);
        left = left.subspan(taken);
        *out.error = out.direct.error();
    }
    if (out.values_only && *out.error == 0) *out.error = out.ahead.written(size);
    if (left.empty() || *out.error != 0) return 0;
    const double start = thread_seconds();
    *out.error = out.direct.write_rest(place, left);
    if (type == H5FD_MEM_DRAW && *out.error == 0)
        *out.error = out.behind.written(place, left.size(), thread_seconds() - start);
    return 0;
}
// NOLINTEND(readability-function-size)

herr_t truncate_output(H5FD_t* file, hid_t, hbool_t) {
    auto& out = output(file);
    if (out.size == out.allocated || out.values_only) return 0;
    if (*out.error == 0 && ftruncate(out.descriptor, static_cast<off_t>(out.allocated)) != 0) {
        *out.error = errno;
    }
    out.size = out.allocated;
    return 0;
}

H5FD_class_t make_driver() {
    H5FD_class_t driver{};
    driver.name = "ventral_output";
    driver.maxaddr = (haddr_t{1} << 62) - 1;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(Settings);
    driver.open = open_output;
    driver.close = close_output;
    driver.cmp = compare_outputs;
    driver.query = query_output;
    driver.get_eoa = allocated_end;
    driver.set_eoa = set_allocated_end;
    driver.get_eof = end_of_file;
    driver.read = read_output;
    driver.write = write_output;
    driver.truncate = truncate_output;
    constexpr H5FD_mem_t all_alike[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(all_alike), std::end(all_alike), driver.fl_map);
    return driver;
}

}  // namespace

Hdf5Output::Hdf5Output(std::string path) : path_(std::move(path)), error_(new int(0)) {
    prepare_hdf5();
    const auto driver = make_driver();
    driver_ = {H5FDregister(&driver), H5FDunregister, path_, "prepare writing"};
}

Hdf5Handle Hdf5Output::access_list(Writes writes, const CopyCost& cost) const {
    Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path_, "make a property list");
    const Settings settings{error_.get(), writes == Writes::values, cost};
    check_hdf5(H5Pset_driver(list.id(), driver_.id(), &settings), path_, "prepare writing");
    check_hdf5(H5Pset_libver_bounds(list.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), path_,
               "choose the format");
    // So that what is large can be read past the page cache.
    check_hdf5(H5Pset_alignment(list.id(), large_bytes, direct_alignment), path_,
               "choose the alignment");
    // A cached chunk would be written with what other ranks have written in it since.
    if (writes == Writes::values)
        check_hdf5(H5Pset_cache(list.id(), 0, 0, 0, 0), path_, "write without a cache");
    return list;
}

void Hdf5Output::take(std::int64_t id, const std::string& doing) {
    if (id < 0) check();
    file_ = {id, H5Fclose, path_, doing};
}

Hdf5Output Hdf5Output::create(const std::string& path) {
    Hdf5Output out(path);
    const Hdf5Handle list(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path, "make a property list");
    check_hdf5(H5Pset_link_creation_order(list.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
               path, "keep the order of names");
    out.take(
        H5Fcreate(path.c_str(), H5F_ACC_TRUNC, list.id(), out.access_list(Writes::everything).id()),
        "create the file");
    return out;
}

Hdf5Output Hdf5Output::reopen(const std::string& path) {
    Hdf5Output out(path);
    out.take(H5Fopen(path.c_str(), H5F_ACC_RDWR, out.access_list(Writes::everything).id()),
             "open the file for writing");
    return out;
}

Hdf5Output Hdf5Output::reopen_for_values(const std::string& path, const CopyCost& cost) {
    Hdf5Output out(path);
    out.take(H5Fopen(path.c_str(), H5F_ACC_RDWR, out.access_list(Writes::values, cost).id()),
             "open the file for writing");
    return out;
}

void Hdf5Output::check() const {
    if (*error_ == 0) return;
    throw core::OutputError(path_ + ": cannot be written (" + std::strerror(*error_) + ")");
}

void Hdf5Output::close() {
    if (!file_.close()) check_hdf5(-1, path_, "close the file");
    check();
}

}  // namespace ventral::io

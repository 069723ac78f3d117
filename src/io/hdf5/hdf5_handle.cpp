#include "io/hdf5/hdf5_handle.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <hdf5.h>

#include "core/errors.hpp"
#include "io/input_file.hpp"

namespace ventral::io {
namespace {

herr_t keep_description(unsigned, const H5E_error2_t* error, void* text) {
    if (error->desc && *error->desc) *static_cast<std::string*>(text) = error->desc;
    return 0;
}

// HDF5 can be given one place to note errors in, and netCDF calls it too.
int passing_error = 0;

/// HDF5 writes the `errno` of a failed call into the description, and says of memory itself that
/// there is none. Allocates nothing: memory may be what is lacking, and no exception can pass
/// through HDF5.
herr_t keep_passing_error(unsigned, const H5E_error2_t* error, void*) {
    constexpr std::string_view mark = "errno = ";
    const char* found = error->desc ? std::strstr(error->desc, mark.data()) : nullptr;
    const int number = found ? std::atoi(found + mark.size()) : 0;
    if (core::may_pass(number)) passing_error = number;
    if (error->maj_num == H5E_RESOURCE_g && error->min_num == H5E_NOSPACE_g) passing_error = ENOMEM;
    return 0;
}

herr_t note_passing_error(hid_t, void*) {
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_passing_error, nullptr);
    return 0;
}

/// The deepest message of HDF5's error stack, for example "bad object header version number".
std::string hdf5_error() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &text);
    return text.empty() ? "HDF5 gives no reason" : text;
}

}  // namespace

Hdf5Handle::Hdf5Handle(std::int64_t id, Close closer, const std::string& path,
                       const std::string& doing)
    : id_(id), close_(closer) {
    check_hdf5(id, path, doing);
}

Hdf5Handle::~Hdf5Handle() { close(); }

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(other.close_) {}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
}

bool Hdf5Handle::close() {
    const auto id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
}

void prepare_hdf5() {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);  // read once, when HDF5 starts
    H5Eset_auto2(H5E_DEFAULT, note_passing_error, nullptr);
}

int take_passing_error() { return std::exchange(passing_error, 0); }

void check_hdf5(std::int64_t status, const std::string& path, const std::string& doing) {
    if (status >= 0) return;
    const auto problem = path + ": cannot " + doing;
    const auto reason = hdf5_error();
    take_passing_error();  // of an earlier call
    note_passing_error(H5E_DEFAULT, nullptr);
    if (const int error = take_passing_error()) core::throw_system_error(problem, error);
    throw core::InputError(problem + " (" + reason + ")");
}

Hdf5Handle open_hdf5(const std::string& path) {
    prepare_hdf5();
    require_regular_file(path);
    take_passing_error();
    if (H5Fis_hdf5(path.c_str()) <= 0) {
        if (const int error = take_passing_error())
            core::throw_system_error(path + ": cannot be read", error);
        throw core::InputError(path + ": is not an HDF5 file, or its beginning is lost");
    }
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path,
            "open the HDF5 file: damaged or cut short"};
}

}  // namespace ventral::io

#pragma once
/// @file
/// What all HDF5 code of this module shares: handles that close themselves and errors as
/// exceptions. The HDF5 of this stack is not thread safe: one thread of a rank at a time may use
/// it, which is the main one unless that has another read ahead.

#include <cstdint>
#include <string>

namespace ventral::io {

/// Owns one HDF5 identifier (hid_t) and closes it.
class Hdf5Handle {
public:
    using Close = int (*)(std::int64_t);

    Hdf5Handle() = default;
    /// `check_hdf5` of `id`, which is negative if it is not valid.
    Hdf5Handle(std::int64_t id, Close closer, const std::string& path, const std::string& doing);
    ~Hdf5Handle();
    Hdf5Handle(Hdf5Handle&& other) noexcept;
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;

    std::int64_t id() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }
    /// Closes now; false if HDF5 could not (the last writes may have failed).
    bool close();

private:
    std::int64_t id_ = -1;
    Close close_ = nullptr;
};

/// To be called before the first use of HDF5 or netCDF; any number of times. Puts what notes errors
/// in the place of HDF5's own printing of them and switches file locks off: files are renamed when
/// whole and never changed afterwards, and Lustre and NFS refuse locks.
void prepare_hdf5();

/// The `errno` that may pass (`core::may_pass`) of a read or write that has failed in HDF5 since
/// this was called last, or 0: netCDF forgets what HDF5 says.
int take_passing_error();

/// Throws `InputError` "path: cannot DOING (what HDF5 says)" if `status` is negative, a
/// `TransientError` if it is because of an error of the system that may pass.
void check_hdf5(std::int64_t status, const std::string& path, const std::string& doing);

/// An existing file opened for reading. Throws `InputError` that tells missing, not HDF5 and
/// damaged files apart.
Hdf5Handle open_hdf5(const std::string& path);

}  // namespace ventral::io

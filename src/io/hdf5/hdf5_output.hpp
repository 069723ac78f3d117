#pragma once
/// @file
/// An HDF5 file that one rank makes, and in which several may write values. HDF5 1.10 cannot live
/// with a file that fails to be written: it keeps a dead handle and crashes when the program ends,
/// and with MPI-IO the other ranks wait for ever. So it never learns: this class writes through a
/// driver of its own that remembers the first error and drops what comes after it.

#include <memory>
#include <string>

#include "io/disk/write_behind.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

class Hdf5Output {
public:
    /// A new file in the newest format, whose headers have checksums; names keep their order.
    static Hdf5Output create(const std::string& path);
    /// An existing file, to be changed. Throws `InputError` if it is damaged.
    static Hdf5Output reopen(const std::string& path);
    /// An existing file, in whose datasets several ranks write values at once, each its own. They
    /// must have their places already and no filter. `cost` is what is known of the page cache; the
    /// writes tell more of it.
    static Hdf5Output reopen_for_values(const std::string& path, const CopyCost& cost = {});

    Hdf5Output(Hdf5Output&&) = default;
    Hdf5Output& operator=(Hdf5Output&&) = delete;  // the open file points to its error

    std::int64_t id() const { return file_.id(); }

    /// Throws `OutputError` with the path and the reason if a write is known to have failed.
    void check() const;
    /// Writes what HDF5 still holds, waits for writes under way and closes the file; all objects in
    /// it must be closed, or it stays open. Throws as `check`. Does not sync:
    /// `TemporaryName::commit` does.
    void close();

private:
    enum class Writes { everything, values };
    explicit Hdf5Output(std::string path);
    Hdf5Handle access_list(Writes writes, const CopyCost& cost = {}) const;
    void take(std::int64_t id, const std::string& doing);

    std::string path_;
    std::unique_ptr<int> error_;  ///< errno of the first write that failed; the driver points to it
    Hdf5Handle driver_;
    Hdf5Handle file_;
};

}  // namespace ventral::io

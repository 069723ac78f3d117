#pragma once
/// @file
/// How fast the disk behind a folder is.

#include <cstddef>
#include <string>

namespace ventral::io {

struct DiskRate {
    double written_bytes = 0;   ///< a second, one file from beginning to end and synced
    double read_bytes = 0;      ///< a second, after the system was asked to forget the file
    double buffered_bytes = 0;  ///< a second, given to an `ActivationsWriter`: the system writes
                                ///< them to disk meanwhile and later
};

/// Writes and reads files of `bytes` in `folder`, one at a time, and removes them. Throws
/// `OutputError` with the path if they cannot be written or read, or as `ActivationsWriter`.
DiskRate measure_disk(const std::string& folder, std::size_t bytes);

}  // namespace ventral::io

#pragma once
/// @file
/// How fast the disk behind a folder is.

#include <cstddef>
#include <string>

namespace ventral::io {

struct DiskRate {
    double written_bytes = 0;  ///< a second, one file from beginning to end and synced
    double read_bytes = 0;     ///< a second, after the system was asked to forget the file
};

/// Writes and reads a file of `bytes` in `folder`, and removes it. Throws `OutputError` with the
/// path if it cannot be written or read.
DiskRate measure_disk(const std::string& folder, std::size_t bytes);

}  // namespace ventral::io

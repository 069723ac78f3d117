#pragma once
/// @file
/// How fast the disk behind a folder is.

#include <cstddef>
#include <string>

namespace ventral::io {

struct DiskRate {
    double written_bytes = 0;   ///< a second, one file from beginning to end and synced
    double read_bytes = 0;      ///< a second, after the system was asked to forget the file
    double buffered_bytes = 0;  ///< a second, of activations: what an `ActivationsWriter` takes to
                                ///< hand them to the system, which writes them to disk meanwhile
};

/// Writes and reads files of `bytes` in `folder`, one at a time, of which nothing is left if the
/// process is killed while it does. Throws `OutputError` with the path if one cannot be written or
/// read.
DiskRate measure_disk(const std::string& folder, std::size_t bytes);

}  // namespace ventral::io

#pragma once
/// @file
/// What every reader asks of a file before it opens it.

#include <cstdint>
#include <string>

namespace ventral::io {

/// Whether something is there that may be of use; false also where that cannot be told.
bool is_there(const std::string& path);

/// Whether nothing is there; false also where that cannot be told, so that opening it says why.
bool is_surely_absent(const std::string& path);

/// Its size; 0 where that cannot be told, so that opening it says why.
std::uint64_t file_bytes(const std::string& path);

/// Throws `InputError` that tells a missing file, a folder and a file without permission apart.
void require_regular_file(const std::string& path);

/// Throws `InputError` if `count` items of `item_size` bytes cannot come from a file of this size,
/// even compressed: a damaged header must not make the program ask for all of the memory.
void require_plausible_size(const std::string& path, std::uint64_t count, std::uint64_t item_size);

/// The whole file. Throws `InputError` if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace ventral::io

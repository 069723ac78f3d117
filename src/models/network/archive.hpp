#pragma once
/// @file
/// Whether a TorchScript file, which is a zip archive, is whole. libtorch leaves the checksums of
/// the archive unread: with one flipped bit it loads other weights, or follows a wrong offset.

#include <string>

namespace ventral::models {

/// Reads all of the archive at `path`. Throws `core::InputError` if the file cannot be read, is no
/// zip archive, is cut short, if an entry does not have the CRC-32 that the archive states, or if a
/// pickle in it is none that libtorch can follow (`pickle_check.hpp`).
void check_archive(const std::string& path);

}  // namespace ventral::models

#pragma once
/// @file
/// A small text on disk that is not believed when it was damaged: its last line is
/// {"crc32c":NUMBER} of what stands before.

#include <optional>
#include <string>
#include <string_view>

namespace ventral::io {

/// Durably, as `write_file_durably`; throws `core::OutputError`.
void write_checked_text(const std::string& path, std::string_view text);

/// The text, or nothing if there is no such file. Throws `InputError` if it is damaged or cannot be
/// read.
std::optional<std::string> read_checked_text(const std::string& path);

}  // namespace ventral::io

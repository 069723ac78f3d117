#pragma once
/// @file
/// Whether bytes are text in UTF-8, as HDF5, netCDF and JSON want it.

#include <cstddef>
#include <optional>
#include <string_view>

namespace ventral::core {

/// Where the first sequence begins that is no code point by RFC 3629 (section 4): too long a form,
/// a surrogate, above U+10FFFF or cut short. Nothing if all of `text` is UTF-8.
std::optional<std::size_t> first_not_utf8(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace ventral::core

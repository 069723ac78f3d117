#pragma once
/// @file
/// Time bins in TOML: lists of [start, end] in ms.

#include "config/table.hpp"
#include "core/time_bin.hpp"

namespace ventral::config {

/// In the order of the file. Throws `InputError` at a bin that is none, ends before it starts, or
/// is there twice.
core::TimeBins read_time_bins(const Value& value);

}  // namespace ventral::config

#pragma once
/// @file
/// Where and when something was done, for records.

#include <string>

namespace ventral::core {

/// The name of this machine.
std::string host_name();

/// In UTC, to the millisecond; later times are later as texts.
std::string time_now();

}  // namespace ventral::core

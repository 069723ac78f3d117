#pragma once
/// @file
/// Where and when something was done, for records.

#include <chrono>
#include <string>

namespace ventral::core {

/// The name of this machine.
std::string host_name();

/// In UTC, to the millisecond; later times are later as texts.
std::string time_text(std::chrono::system_clock::time_point time);
std::string time_now();

}  // namespace ventral::core

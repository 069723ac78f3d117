#pragma once
/// @file
/// What the control groups of Linux (versions 1 and 2) allow this process. Of nested groups the
/// tightest limit holds.

#include <optional>
#include <string>

namespace ventral::core {

struct GroupMemory {
    double bytes = 0;  ///< without swap
    /// Of them, by all processes of the group: what the kernel cannot take back, as it can what
    /// files have in its caches.
    double used = 0;
    std::string file;  ///< that says so
};

/// The limit beyond which the kernel kills (memory.max, memory.limit_in_bytes) or slows down
/// (memory.high); nothing if no group has one. `root` is the folder that /proc and /sys lie in.
std::optional<GroupMemory> group_memory(const std::string& root = "");

/// How many processors' time a quota leaves, however many the process may run on; nothing if there
/// is none.
std::optional<double> group_processors(const std::string& root = "");

/// The number of processors that the group has left to the process: its affinity may be fewer, to
/// which a launcher has bound it.
std::optional<std::size_t> group_cpuset(const std::string& root = "");

}  // namespace ventral::core

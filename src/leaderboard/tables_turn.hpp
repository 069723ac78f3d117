#pragma once
/// @file
/// Runs that share a folder write its tables one after the other, the last one from the whole
/// journal.

#include <chrono>
#include <functional>
#include <string>

namespace ventral::leaderboard {

/// How long a run waits for the tables of another, and one that was asked to stop.
inline constexpr std::chrono::seconds longest_wait(60);
inline constexpr std::chrono::seconds longest_wait_when_stopping(1);

/// Calls `write`, which reads the journal of `out_folder` and writes the tables, while no other
/// process does so: waits at most `longest` for the lock of OUT/tables.lock, and as one that was
/// asked to stop where it is `in_haste`. Without the lock (the file system has none, another holds
/// it for long) or when others may have waited in vain, tables of less may have been written over
/// those of more: `write` is then called again, three times in all at most, if the journal has
/// grown since. Throws what `write` throws.
void write_in_turn(
    const std::string& out_folder, std::chrono::milliseconds longest,
    const std::function<void()>& write,
    const std::function<bool()>& in_haste = [] { return false; });

}  // namespace ventral::leaderboard

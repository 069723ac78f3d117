#pragma once
/// @file
/// What the exit code of the program says. 75 beats 2 beats 0.

namespace ventral::jobs {

inline constexpr int exit_done = 0;          ///< everything is scored
inline constexpr int exit_failed = 1;        ///< usage, configuration or I/O; nothing was finished
inline constexpr int exit_some_failed = 2;   ///< finished, but some scores failed; plan: will fail
inline constexpr int exit_interrupted = 75;  ///< stopped at a safe point: run again to go on

}  // namespace ventral::jobs

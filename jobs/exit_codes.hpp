#pragma once
/// @file
/// What the exit code of the program says; README.md ("Exit codes") says it of each subcommand. Of
/// a run that could end with several, 1 beats 75 beats 2 beats 0.

namespace ventral::jobs {

inline constexpr int exit_done = 0;  ///< everything is scored
/// Usage, configuration or I/O, nothing was finished; bits or values that are not as they should
/// be.
inline constexpr int exit_failed = 1;
/// Finished, but some scores failed; plan: they have, or will.
inline constexpr int exit_some_failed = 2;
/// Stopped at a safe point, or not all is there: run again.
inline constexpr int exit_interrupted = 75;

}  // namespace ventral::jobs

#pragma once
/// @file
/// What a line of the journal is about: its member "kind", which comes first.

namespace ventral::io::line_kind {

inline constexpr const char* started = "started";    ///< a unit, and by whom
inline constexpr const char* ended = "ended";        ///< a unit, and how
inline constexpr const char* progress = "progress";  ///< something of a unit is on disk
inline constexpr const char* trace = "trace";  ///< what the ranks of a job that died have left
inline constexpr const char* estimate = "estimate";  ///< what a plan said of a unit
inline constexpr const char* times = "times";        ///< where the time of each rank went
inline constexpr const char* labels = "labels";      ///< of raw values
inline constexpr const char* folds = "folds";        ///< a group of folds of a score
inline constexpr const char* score = "score";
inline constexpr const char* failed = "failed";  ///< a score that there is none of, and why

}  // namespace ventral::io::line_kind

#pragma once
/// @file
/// What the record of a score that ran out of memory says of the bound.

#include "core/score.hpp"

namespace ventral::pipeline {

/// Adds `bound`, the bytes that a rank was allowed, to the record's memory as "bound", with which a
/// run knows whether another try has more, and to the first line of its reason what to do: torch
/// adds a backtrace. 0: nobody has set one.
void note_memory_bound(core::ScoreRecord& record, double bound);

}  // namespace ventral::pipeline

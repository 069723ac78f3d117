#pragma once
/// @file
/// What `ventral metric` and `ventral ceiling` say.

#include "core/score.hpp"
#include "format.hpp"

namespace ventral::jobs {

/// The score on stdout, as JSON or as a line for people; warnings on stderr.
void print_score(const core::Score& score, Format format);

}  // namespace ventral::jobs

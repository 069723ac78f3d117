#pragma once
/// @file
/// Which commit the program was built from.

namespace ventral::jobs {

/// As `git describe --always --dirty` says it; "unknown" for sources outside of a repository.
const char* commit();

}  // namespace ventral::jobs

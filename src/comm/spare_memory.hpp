#pragma once
/// @file
/// How much a group of ranks keeps of the shared memory that is given back.

#include <cstddef>

namespace ventral::comm {

/// What a group of several ranks keeps at most of the shared memory that is given back, for what is
/// shared next: the system takes longer to give pages than they are worked on.
inline constexpr std::size_t most_spare_bytes = std::size_t{64} << 20;
/// Larger blocks are not kept.
inline constexpr std::size_t largest_spare_bytes = std::size_t{24} << 20;

}  // namespace ventral::comm

#pragma once
/// @file
/// Memory in large pages: many rows far from each other are then found without looking up a page
/// for each, and the system gives the memory faster.

#include <cstddef>
#include <span>

namespace ventral::core {

/// Advice only, for memory that is not touched yet: small pages do as well.
void prefer_large_pages(std::span<std::byte> memory);

/// Memory of its own that is zero and not touched yet, in large pages where the system has them;
/// `unmap` gives it back. Throws `std::bad_alloc` if there is none; `bytes` must not be 0.
std::span<std::byte> map_zeros(std::size_t bytes);
void unmap(std::span<std::byte> memory);

/// Has the system give the memory now, all at once, instead of a page at a time as it is used. What
/// is in it stays. False if the system does not know how; then nothing has happened.
bool populate(std::span<std::byte> memory);

/// Larger memory is better given as it is used.
inline constexpr std::size_t most_populated = std::size_t{64} << 20;

}  // namespace ventral::core

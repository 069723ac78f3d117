#pragma once
/// @file
/// Memory in large pages: many rows far from each other are then found without looking up a page
/// for each, and the system gives the memory faster.

#include <cstddef>
#include <span>

namespace ventral::core {

/// Advice only, for memory that is not touched yet: small pages do as well.
void prefer_large_pages(std::span<std::byte> memory);

}  // namespace ventral::core

#pragma once
/// @file
/// What a test has to know of the sanitizers that it is built with.

namespace ventral::test {

/// Whether the address sanitizer's allocator is in place: it ends the process where there is no
/// memory, where the C library's lets `new` throw, and keeps what is freed for a while.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif

/// Whether tensors lie in pools (`core::take_block`), which would hide their ends from a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_block_pools = false;
#else
inline constexpr bool has_block_pools = true;
#endif

}  // namespace ventral::test

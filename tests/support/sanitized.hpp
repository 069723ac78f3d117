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

}  // namespace ventral::test

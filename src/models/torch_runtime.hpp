#pragma once
/// @file
/// How libtorch runs in this program: on one thread, and always with the same kernels.

#include <string>

namespace ventral::models {

/// One thread inside and between operators and in the BLAS, no profiling executor, no fusion: each
/// of them would choose kernels, and so bits, by thread count or by the number of earlier calls.
/// To be called before a network is loaded; calling it again changes nothing.
void configure_torch();

/// The same for the calling thread: OpenMP keeps its thread count per thread, and a new thread
/// starts with that of the environment.
void configure_torch_thread();

/// What decides the bits of a network on this machine: "torch 1.13.1, CPU capability AVX2, oneDNN
/// v2.6.3". For provenance and the comparison of ranks.
std::string torch_fingerprint();

/// Throws `core::InputError` that begins with `place`, unless this libtorch can run on `device`:
/// "auto" and "cpu".
void check_device(const std::string& device, const std::string& place);

}  // namespace ventral::models

#pragma once
/// @file
/// Which kernels OpenBLAS runs, whether they fit the processor, and how fast they are.

#include <cstddef>
#include <optional>
#include <string>

#include "core/workers.hpp"

namespace ventral::stats {

/// The environment variable by which OpenBLAS is told its kernels; read when the library loads.
inline constexpr const char* blas_core_variable = "OPENBLAS_CORETYPE";

/// The same for the number of its threads.
inline constexpr const char* blas_threads_variable = "OPENBLAS_NUM_THREADS";

/// What this one says, "avx2" or "avx512", is pinned: a fingerprint names no more than that, and
/// our own kernels use no more.
inline constexpr const char* isa_variable = "VENTRAL_ISA";

/// Whether the processor has AVX-512 and `isa_variable` does not say that it is not to be used.
bool may_use_avx512();

/// For example "SkylakeX".
std::string blas_core();

/// Whether the processor has what these kernels use: OpenBLAS believes `blas_core_variable`.
bool blas_core_fits_processor();

/// For example "OpenBLAS 0.3.21 …".
std::string blas_version();

/// The core type to ask for if OpenBLAS took the processor for a weaker one than it is (it knows
/// only processors older than itself); nothing if the kernels fit.
std::optional<std::string> stronger_blas_core();

/// The same before OpenBLAS is initialised: of what it is going to take.
std::optional<std::string> stronger_core_to_come();

/// Threads that may call OpenBLAS at once. It is built for so many (Debian's for 128), and notes
/// those beyond in a table that a few hundred threads run over.
inline constexpr std::size_t most_blas_threads = 128;

/// Throws `core::InputError` unless the process may still take the buffers that OpenBLAS takes at
/// the first product of each of `threads` threads: refused them, it asks again for ever.
void require_blas_memory(std::size_t threads);

/// Has OpenBLAS map the buffers of as many products at once, which it keeps: a later request for
/// one that fails would never come back. The memory must be there (`require_blas_memory`).
void take_blas_memory(std::size_t threads);

/// Flop/s of double-precision matrix products, of all workers together: each multiplies so many
/// times, 0.27 Gflop each, and once before.
double dgemm_rate(core::Workers& workers, int products);

/// All that bits of BLAS and of our own loops depend on: instruction sets in use, kernels, version,
/// compiler and flags, floating-point mode.
std::string numerics_fingerprint();

}  // namespace ventral::stats

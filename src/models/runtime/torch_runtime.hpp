#pragma once
/// @file
/// How libtorch runs in this program: on one thread, and always with the same kernels.

#include <string>

#include "models/runtime/device.hpp"

namespace ventral::models {

/// Whether this program is linked with libtorch and can run networks (`no_networks.cpp`).
bool has_networks();

/// One thread inside and between operators and in the BLAS, no profiling executor, no fusion: each
/// of them would choose kernels, and so bits, by thread count or by the number of earlier calls.
/// To be called before a network is loaded; calling it again changes nothing.
void configure_torch();

/// The same for the calling thread: OpenMP keeps its thread count per thread, and a new thread
/// starts with that of the environment.
void configure_torch_thread();

/// Kernels of GPUs that give the same bits each time, where there are such, and float32 without
/// TF32. cuDNN may still take another kernel where a GPU has too little free memory for the first.
/// To be called before a network is placed on a GPU; of no use where there is none.
void configure_gpus();

/// oneDNN keeps the code that it has compiled for the latest thousand operators of certain sizes;
/// when a network has run its batches, the next one seldom has use for it. Changes no bit.
void forget_compiled_operators();

/// What decides the bits of a network on this machine: "torch 1.13.1, CPU capability AVX2, oneDNN
/// v2.6.3", and where there are GPUs CUDA and their kinds. For provenance and the comparison of
/// ranks.
std::string torch_fingerprint();

/// The GPUs that this libtorch can use here.
Gpus visible_gpus();

}  // namespace ventral::models

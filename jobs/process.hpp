#pragma once
/// @file
/// What the process must be set to before anything else runs.

#include <cstddef>
#include <vector>

namespace ventral::jobs {

/// First thing in `main`, before MPI starts: one BLAS and OpenMP thread per call (our workers are
/// the threads), and memory kept by the allocator instead of being returned after every tensor.
///
/// Even before `main`, a program that this is linked into sees to it that OpenBLAS runs kernels
/// that fit the processor. OpenBLAS takes processors younger than itself for weak ones and is then
/// several times slower; it listens only to its environment variable when it is initialised, so the
/// program replaces itself once with the variable set, or with the program beside it that has
/// networks.
void prepare_process();

/// Whether the subcommand needs networks and this program has none: `networks_program` runs it,
/// before `main` is reached, unless it is asked for its help.
bool is_for_networks_program(char** arguments);

/// The numbers of the processors that this process is bound to.
std::vector<int> bound_processors();

/// Lets it run on these, as far as the system allows.
void bind_to(const std::vector<int>& processors);

/// How many of so many processors the quota leaves to this process, at least 1.
std::size_t within_quota(std::size_t processors);

/// The processors of the machine.
std::size_t machine_cores();

/// The peak resident memory of this process so far, in bytes.
double peak_memory();

/// From here on `peak_memory` is about what comes, where the system can forget.
void forget_peak_memory();

}  // namespace ventral::jobs

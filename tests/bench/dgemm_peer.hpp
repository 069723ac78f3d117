#pragma once
/// @file
/// What a kernel is measured against: plain DGEMM on the same cores in the same run.

#include "core/workers.hpp"

namespace ventral::bench {

/// flop/s of all workers together, each multiplying matrices of its own on one thread: the best of
/// a large shape over a few rounds. About a second.
double best_dgemm_rate(core::Workers& workers);

}  // namespace ventral::bench

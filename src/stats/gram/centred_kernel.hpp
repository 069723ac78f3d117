#pragma once
/// @file
/// The parts of a kernel that one fold needs, as if the features had been centred on its train
/// rows.

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// Products of features minus their means over the train rows.
struct CentredKernel {
    Matrix train;  ///< train × train
    Matrix test;   ///< train × test
};

/// With the rows in the fold's order. The kernel may have any offset.
CentredKernel centred_kernel(const Kernel& kernel, const FoldRows& fold, core::Workers& workers);

}  // namespace ventral::stats

#pragma once
/// @file
/// LAPACKE says by a code of its own that there is no memory for the workspace of a routine.

#include <new>

#include <lapacke.h>

namespace ventral::stats {

/// The code that a routine of LAPACKE has returned, but `std::bad_alloc` if memory was what it
/// lacked: else a matrix without fault would be called singular, or its result be taken for one.
inline int with_workspace(lapack_int code) {
    if (code == LAPACK_WORK_MEMORY_ERROR || code == LAPACK_TRANSPOSE_MEMORY_ERROR)
        throw std::bad_alloc();
    return code;
}

}  // namespace ventral::stats

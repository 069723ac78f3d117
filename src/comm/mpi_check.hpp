#pragma once
/// @file
/// MPI's error codes as exceptions.

namespace ventral::comm {

/// Throws `std::runtime_error` with MPI's own words unless `code` is MPI_SUCCESS.
void check(int code);

}  // namespace ventral::comm

#pragma once
/// @file
/// The time bins that a benchmark is about: bins of the recordings, or averages over finer ones.
/// Brain-Score scores FreemanZiemba2013, recorded in bins of 1 ms, by their mean from 50 to 200 ms.

#include <cstddef>
#include <optional>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "core/assembly.hpp"

namespace ventral::benchmarks {

/// Positions along `time_bin` of what the benchmark's bins are made of, all if it lists none, in
/// the order of time: models are recorded in it, and bins are paired. Nothing if all are so
/// already. Throws `core::InputError` that begins with the benchmark's file and lists the bins
/// there are, if one of the benchmark's is neither there nor filled by finer ones of one width,
/// each of which begins where the one before ends.
std::optional<std::vector<std::size_t>> time_bins_to_read(const BenchmarkRecord& benchmark,
                                                          const core::Assembly& labels);

/// Bytes of the averages that `with_time_bins_of` makes of recordings with these labels; 0 if it
/// takes them as they are.
std::size_t averaged_bytes(const BenchmarkRecord& benchmark, const core::Assembly& labels);

/// Of recordings that have just those: the benchmark's bins, each the mean over the bins that fill
/// it, as xarray has it (NaN skipped), but in float64 of float32, too. Coordinates of time bins
/// other than start and end are gone where bins were averaged.
core::Assembly with_time_bins_of(const BenchmarkRecord& benchmark, core::Assembly recordings);

}  // namespace ventral::benchmarks

#pragma once
/// @file
/// The small run with recordings in time bins.

#include <cstdint>
#include <string>
#include <vector>

#include "core/portable_random.hpp"
#include "core/time_bin.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/small_run.hpp"

namespace ventral::test {

/// In the order of time.
inline const core::TimeBins small_bins = {{0, 50}, {50, 100}, {100, 150}};

/// `small_recordings` without the neuroid that never changes, in three bins with noise of their own
/// that lie as 50–100, 100–150, 0–50 ms.
inline core::Assembly small_recordings_in_time() {
    const auto still = core::take(small_recordings(), "neuroid", {0, 1, 2, 3, 4});
    core::PortableRandom random(7);
    std::vector<double> values;
    for (const double value : core::as_float64(still.values))
        for (int bin = 0; bin < 3; ++bin) values.push_back(value + random.uniform(-1, 1));
    auto recordings = still;
    recordings.dims.push_back({"time_bin", 3});
    recordings.values = values;
    recordings.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{50, 100, 0}});
    recordings.coordinates.push_back(
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{100, 150, 50}});
    return recordings;
}

/// `small_features` in bins of 25 ms from 0 to 150 ms, each with noise of its own.
inline core::Assembly small_features_in_time() {
    constexpr std::size_t bins = 6;
    auto features = small_features();
    core::PortableRandom random(8);
    std::vector<float> values;
    for (const float value : std::get<std::vector<float>>(features.values))
        for (std::size_t bin = 0; bin < bins; ++bin)
            values.push_back(value + static_cast<float>(random.uniform(-1, 1)));
    features.dims.push_back({"time_bin", bins});
    features.values = values;
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    for (std::int64_t bin = 0; bin < static_cast<std::int64_t>(bins); ++bin) {
        starts.push_back(25 * bin);
        ends.push_back(25 * (bin + 1));
    }
    features.coordinates.push_back({"time_bin_start", "time_bin", starts});
    features.coordinates.push_back({"time_bin_end", "time_bin", ends});
    return features;
}

inline benchmarks::BenchmarkRecord small_benchmark_in_time(const std::string& metric) {
    auto benchmark = small_benchmark(metric);
    benchmark.ceiling.name = "internal_consistency_temporal";
    return benchmark;
}

/// Model "stored" on a benchmark for each metric that takes time bins. Writes the data.
inline config::RunRecord small_run_in_time(const std::string& folder) {
    io::write_assembly(folder + "/features.nc", small_features());
    io::write_assembly(folder + "/recordings.nc", small_recordings_in_time());
    auto run = small_run(folder);
    run.benchmarks = {small_benchmark_in_time("pertime_ridge"),
                      small_benchmark_in_time("spantime_pls"),
                      small_benchmark_in_time("spantime_ridge")};
    return run;
}

}  // namespace ventral::test

#pragma once
/// @file
/// How fast a machine is, for the seconds of a plan. No score depends on it: it decides nothing but
/// texts and the order of work.

#include <cstddef>
#include <optional>
#include <string>

namespace ventral::pipeline {

/// What one worker does.
struct WorkerRates {
    double gram_flops = 3e10;         ///< a second, counted as n (n + 1) p
    double product_flops = 3e10;      ///< of matrix products in float64
    double pass_flops = 2e9;          ///< of products of a matrix and a vector in float64
    double convolution_flops = 2e10;  ///< of convolutions in float32
};

/// The defaults are guesses.
struct Calibration {
    std::string host;              ///< empty: not measured, these are guesses
    std::string measured_at;       ///< UTC
    std::string kernels;           ///< of OpenBLAS
    std::size_t workers = 1;       ///< that were at work
    WorkerRates together;          ///< of each of them while all are
    WorkerRates alone;             ///< of one while no other is
    double written_bytes = 2e8;    ///< a second, to disk
    double read_bytes = 5e8;       ///< a second, from disk
    double buffered_bytes = 1e9;   ///< a second, of activations: see `io::DiskRate`
    double process_seconds = 0.5;  ///< until the program has started
};

/// OUT/calibration.json, or without OUT `calibration-HOST.json` in the folder "ventral" of the
/// user's cache: XDG_CACHE_HOME or ~/.cache. Throws `core::InputError` if there is no such folder.
std::string calibration_path(const std::string& out);

/// Durably. Throws `core::InputError` with the path.
void write_calibration(const std::string& path, const Calibration& calibration);

/// Nothing if there is no such file; one that cannot be understood is warned of, and there is
/// nothing either.
std::optional<Calibration> read_calibration(const std::string& path);

}  // namespace ventral::pipeline

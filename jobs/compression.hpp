#pragma once
/// @file
/// The option that says how activations are stored.

#include <CLI/CLI.hpp>

namespace ventral::jobs {

/// --activations-compress LEVEL; `level` stays as it is without it.
inline void add_compression_option(CLI::App& app, int& level) {
    app.add_option("--activations-compress", level,
                   "compress new activation files: 1 (fast) to 9 (small), shuffle and deflate; the "
                   "same values, smaller files, slower to write and read (default: not at all)")
        ->check(CLI::Range(1, 9));
}

}  // namespace ventral::jobs

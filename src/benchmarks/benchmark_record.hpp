#pragma once
/// @file
/// What a benchmark's TOML says, one record per member of a family.

#include <cstddef>
#include <string>
#include <vector>

#include "core/select.hpp"
#include "core/time_bin.hpp"
#include "metrics/options.hpp"

namespace ventral::benchmarks {

enum class Quantity { ceiling, score };
inline std::string name_of(Quantity quantity) {
    return quantity == Quantity::ceiling ? "ceiling" : "score";
}

/// A value that the score or ceiling is said to have, for `ventral verify`.
struct Expectation {
    Quantity quantity = Quantity::score;
    double value = 0;
    double tolerance = 0;
    std::string model = {};  ///< whose score; empty: every model's, or a ceiling
};

struct BenchmarkRecord {
    std::string identifier;
    std::string origin;  ///< the TOML file
    int version = 1;
    std::string parent;
    std::string bibtex;
    std::string pattern = "neural";
    std::string dataset;
    std::string region;
    std::vector<core::Condition> select;
    metrics::MetricOptions metric;
    metrics::CeilingOptions ceiling;
    std::string normalisation = "explained_variance";
    core::TimeBins time_bins;  ///< empty: those of the recordings
    /// "presentation": those with a NaN are left out of the target and of the repetitions.
    std::string dropna;
    /// How often a model is asked. One that always answers the same is asked once, as in the
    /// reference, unless variance is required.
    std::size_t number_of_trials = 1;
    bool require_variance = false;  ///< models have to answer differently in each trial
    std::vector<Expectation> expected;
    /// Why the TOML file defines no benchmark that can be scored, if so: then nothing else is known
    /// of it but what it is called and `origin`.
    std::string problem;
};

}  // namespace ventral::benchmarks

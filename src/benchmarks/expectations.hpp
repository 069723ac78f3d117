#pragma once
/// @file
/// What a benchmark's TOML says its ceiling and scores should be, beside what they are.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "core/score.hpp"

namespace ventral::benchmarks {

/// One expectation of a benchmark and what became of it.
struct CheckedExpectation {
    std::string benchmark;
    Expectation expectation;  ///< of a score it names the model, if it is of one
    std::optional<double> found = {};
    std::string missing = {};  ///< why nothing was found, or empty
    bool is_planned = true;    ///< false: the run computes no such score, which is no fault of it

    /// NaN is within no tolerance.
    bool holds() const;
    /// That it is planned and does not hold.
    bool is_broken() const { return is_planned && !holds(); }
};

/// Compares what the benchmark expects with its records among `records`. The score of a model is
/// that of the layers which it commits to; an expectation without a model is about every model that
/// has such a record. A score that no record is about is not planned.
std::vector<CheckedExpectation> check_expectations(const BenchmarkRecord& benchmark,
                                                   const std::vector<core::ScoreRecord>& records);

}  // namespace ventral::benchmarks

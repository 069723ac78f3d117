#pragma once
/// @file
/// A problem with all that a run knows of its features: Gram, sums and the features themselves.

#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"
#include "stats/gram/gram.hpp"
#include "stats/stored_features.hpp"

namespace ventral::test {

/// Keeps features, targets and the Gram, `shift` doubles off their usual addresses.
class GramProblem {
public:
    GramProblem(const stats::Matrix& features, const stats::Matrix& targets, std::size_t shift = 0)
        : features_(features), targets_(targets) {
        const auto rows = static_cast<std::size_t>(features.rows());
        const auto count = static_cast<std::size_t>(features.cols());
        block_.resize(stats::gram_sizes(rows, count).total() + shift);
        memory_ = stats::gram_memory(std::span(block_).subspan(shift), rows, count);
        core::Workers workers(2);
        stats::build_gram({rows, count, slabs_of(features_)}, memory_, workers, {});
    }

    stats::Problem with_features() const {
        return {kernel(), targets_, static_cast<std::size_t>(features_.cols()),
                {},       sums(),   slabs_of(features_)};
    }
    stats::Problem without_features() const {
        return {kernel(), targets_, static_cast<std::size_t>(features_.cols()), {}, sums()};
    }
    stats::MatrixView kernel() const {
        return {memory_.kernel.data(), features_.rows(), features_.rows()};
    }
    stats::GramSums sums() const {
        return {memory_.centred_times_mean, memory_.row_sums, memory_.row_extremes,
                memory_.mean_squared[0]};
    }

private:
    RowMajorMatrix features_;
    stats::Matrix targets_;
    std::vector<double> block_;
    stats::GramMemory memory_;
};

}  // namespace ventral::test

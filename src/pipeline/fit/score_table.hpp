#pragma once
/// @file
/// The results of one score's fold groups, which several ranks compute, put together.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "pipeline/fit/fit.hpp"
#include "pipeline/journal/recorded.hpp"

namespace ventral::pipeline {

/// True if the features may have digits of such a result that the Gram has lost.
bool is_lossy(const std::string& route, double guard);

/// The table of one score, filled by whoever has its groups; then one bitwise or makes it whole.
class ScoreTable {
public:
    /// `task` and what it points to must outlive the table.
    explicit ScoreTable(const FitTask& task);

    /// Whether a result of the score has the size and a route that the table has room for.
    bool fits(const FoldGroupResult& result) const;
    /// Throws `std::logic_error` if the result does not fit.
    void fill(const FoldGroupResult& result);
    bool is_complete() const;

    /// Zeros where nothing was filled in.
    std::span<std::uint64_t> words() { return words_; }

    /// Of a complete table.
    FitOutcome outcome() const;

private:
    enum Word : std::size_t {
        filled,
        seconds,
        rank,
        route,
        first_margin,
        per_group = first_margin + core::named_margins.size()
    };

    core::Margins margins_of(std::size_t group) const;
    std::uint64_t word(std::size_t group, std::size_t which) const {
        return words_[cells_ + group * per_group + which];
    }
    double number(std::size_t group, std::size_t which) const;

    const metrics::RegressionPlan& plan_;
    const metrics::MetricOptions& metric_;
    std::size_t first_group_;
    std::size_t cells_;
    std::vector<std::uint64_t> words_;
};

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Average ranks of millions of values, and Spearman's correlation as the reference computes it.

#include <span>
#include <vector>

#include "core/workers.hpp"

namespace ventral::stats {

/// Ranks 1 … n. Equal values (`==`: exact equality) share the mean of their ranks, as in
/// `scipy.stats.rankdata`. If any value is NaN, all ranks are.
struct Ranks {
    std::vector<double> values;
    /// Smallest difference of two different values that stand next to each other in sorted order,
    /// over the difference of the largest and the smallest; infinity if there are no two.
    double gap;
};

/// Sorts on the workers: splitters from a sample of fixed size divide the values into buckets, each
/// of which one task sorts. Ranks are exact, whatever the number of workers. Needs 10 bytes a value
/// beside `values`, however many are equal, whose memory becomes that of the ranks. Throws
/// `core::InputError` for 2³² values or more.
Ranks average_ranks(std::vector<double> values, core::Workers& workers);

/// Pearson's correlation of two vectors of ranks as `numpy.corrcoef` has it, clipped to [-1, 1]: of
/// the ranks of x and y it is Spearman's of x and y (`scipy.stats.spearmanr`). NaN if a rank is
/// NaN, if all of one vector are equal, or if there are fewer than two. Throws
/// `std::invalid_argument` if the lengths differ.
double rank_correlation(std::span<const double> x, std::span<const double> y,
                        core::Workers& workers);

}  // namespace ventral::stats

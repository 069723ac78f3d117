#pragma once
/// @file
/// scikit-learn's splitters with their random streams: indices equal to scikit-learn 1.2.1
/// (NUMERICS section 3; goldens `splits`).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ventral::stats {

/// Indices into the list of split values, in scikit-learn's order.
struct Split {
    std::vector<std::size_t> train;
    std::vector<std::size_t> test;
};

/// Below 1 a fraction of the values, else their number; at least one is set.
struct SplitSizes {
    std::optional<double> train;
    std::optional<double> test;
};

/// `ShuffleSplit(n_splits, train_size, test_size, random_state).split` over n values. Throws
/// `InputError` where scikit-learn raises ValueError: an empty or too large part.
std::vector<Split> shuffle_split(std::size_t n, std::size_t n_splits, const SplitSizes& sizes,
                                 std::uint32_t random_state);

/// `StratifiedShuffleSplit`; `strata[i]` is the class number of value i, numbered in sorted order
/// of the labels. Throws `InputError` if a class has one member or a part has fewer members than
/// there are classes.
std::vector<Split> stratified_shuffle_split(const std::vector<std::size_t>& strata,
                                            std::size_t n_splits, const SplitSizes& sizes,
                                            std::uint32_t random_state);

/// `KFold(k, shuffle=True, random_state)`.
std::vector<Split> k_fold(std::size_t n, std::size_t k, std::uint32_t random_state);

/// `StratifiedKFold(k, shuffle=True, random_state)`; `strata` numbered by first appearance.
std::vector<Split> stratified_k_fold(const std::vector<std::size_t>& strata, std::size_t k,
                                     std::uint32_t random_state);

}  // namespace ventral::stats

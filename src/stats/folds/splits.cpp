#include "stats/folds/splits.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "stats/folds/random_state.hpp"

namespace ventral::stats {
namespace {

struct Counts {
    std::size_t train = 0;
    std::size_t test = 0;
};

bool is_share(double size) { return size > 0 && size < 1; }

void check_size(double size, std::size_t n, const char* name) {
    const bool is_count = size >= 1 && size == std::floor(size);
    if (!is_share(size) && !is_count)
        throw core::InputError(std::string(name) +
                               " must be a fraction between 0 and 1, or a number of values");
    if (is_count && size >= static_cast<double>(n))
        throw core::InputError(std::string(name) + " is not less than the " + std::to_string(n) +
                               " values to split");
}

Counts part_sizes(std::size_t n, const SplitSizes& sizes) {
    const std::string lower_one = "lower one, or leave it out by \"none\" (in --params null)";
    const auto& [train, test] = sizes;
    if (!train && !test) throw core::InputError("neither train_size nor test_size is given");
    if (train) check_size(*train, n, "train_size");
    if (test) check_size(*test, n, "test_size");
    if (train && test && is_share(*train) && is_share(*test) && *train + *test > 1)
        throw core::InputError("train_size " + core::number_text(*train) + " and test_size " +
                               core::number_text(*test) + " add up to more than 1; " + lower_one);
    const auto total = static_cast<double>(n);
    const auto values_of = [&](double size) { return is_share(size) ? size * total : size; };
    Counts counts;
    if (test) counts.test = static_cast<std::size_t>(std::ceil(values_of(*test)));
    if (train) counts.train = static_cast<std::size_t>(std::floor(values_of(*train)));
    if (!test) counts.test = n - counts.train;
    if (!train) counts.train = n - counts.test;
    if (counts.train + counts.test > n)
        throw core::InputError("train_size and test_size take " + std::to_string(counts.train) +
                               " and " + std::to_string(counts.test) + " of " + std::to_string(n) +
                               " values to split; " + lower_one);
    if (counts.train == 0)
        throw core::InputError("with " + std::to_string(n) +
                               " values to split the train part is empty");
    return counts;
}

std::vector<std::size_t> class_counts(const std::vector<std::size_t>& strata) {
    std::vector<std::size_t> counts;
    for (const auto stratum : strata) {
        if (stratum >= counts.size()) counts.resize(stratum + 1);
        ++counts[stratum];
    }
    return counts;
}

/// scikit-learn's `_approximate_mode`: the most probable draw of `draws` out of `counts`, ties in
/// the remainders broken by the random stream. The order of operations decides exact equality of
/// the remainders.
std::vector<std::size_t> approximate_mode(const std::vector<std::size_t>& counts, std::size_t draws,
                                          RandomState& random) {
    const auto all =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    std::vector<std::size_t> mode(counts.size());
    std::vector<double> remainders(counts.size());
    std::size_t missing = draws;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const double expected = static_cast<double>(counts[c]) / all * static_cast<double>(draws);
        const double whole = std::floor(expected);
        mode[c] = static_cast<std::size_t>(whole);
        remainders[c] = expected - whole;
        missing -= mode[c];
    }
    if (missing == 0) return mode;
    const std::set<double, std::greater<>> distinct(remainders.begin(), remainders.end());
    for (const double remainder : distinct) {
        std::vector<std::size_t> members;
        for (std::size_t c = 0; c < counts.size(); ++c)
            if (remainders[c] == remainder) members.push_back(c);
        const std::size_t taken = std::min(members.size(), missing);
        const auto order = random.permutation(members.size());
        for (std::size_t i = 0; i < taken; ++i) ++mode[members[order[i]]];
        missing -= taken;
        if (missing == 0) break;
    }
    return mode;
}

template <typename T>
void permute(std::vector<T>& values, RandomState& random) {
    const auto order = random.permutation(values.size());
    std::vector<T> permuted;
    permuted.reserve(values.size());
    for (const auto i : order) permuted.push_back(values[i]);
    values = std::move(permuted);
}

void check_strata(const std::vector<std::size_t>& counts, const Counts& sizes) {
    const std::string classes = std::to_string(counts.size()) + " strata";
    if (*std::min_element(counts.begin(), counts.end()) < 2)
        throw core::InputError(
            "a stratum has a single member, which cannot be on both sides of a split; choose "
            "another stratification coordinate or \"none\"");
    for (const std::size_t part : {sizes.train, sizes.test})
        if (part < counts.size())
            throw core::InputError("a part of " + std::to_string(part) +
                                   " values cannot hold one of each of " + classes +
                                   "; set stratification = \"none\" or other sizes");
}

std::vector<Split> splits_of_folds(const std::vector<std::size_t>& fold_of, std::size_t k) {
    std::vector<Split> splits(k);
    for (std::size_t i = 0; i < fold_of.size(); ++i)
        for (std::size_t fold = 0; fold < k; ++fold)
            (fold_of[i] == fold ? splits[fold].test : splits[fold].train).push_back(i);
    return splits;
}

void check_folds(std::size_t n, std::size_t k) {
    if (k < 2) throw core::InputError("k-fold cross-validation needs at least 2 folds");
    if (k > n)
        throw core::InputError(std::to_string(k) + " folds are more than the " + std::to_string(n) +
                               " values to split; lower splits");
}

}  // namespace

std::vector<Split> shuffle_split(std::size_t n, std::size_t n_splits, const SplitSizes& sizes,
                                 std::uint32_t random_state) {
    const Counts counts = part_sizes(n, sizes);
    RandomState random(random_state);
    std::vector<Split> splits(n_splits);
    for (auto& split : splits) {
        const auto order = random.permutation(n);
        const auto middle = order.begin() + static_cast<std::ptrdiff_t>(counts.test);
        split.test.assign(order.begin(), middle);
        split.train.assign(middle, middle + static_cast<std::ptrdiff_t>(counts.train));
    }
    return splits;
}

std::vector<Split> stratified_shuffle_split(const std::vector<std::size_t>& strata,
                                            std::size_t n_splits, const SplitSizes& sizes,
                                            std::uint32_t random_state) {
    const Counts sizes_of_parts = part_sizes(strata.size(), sizes);
    const auto counts = class_counts(strata);
    check_strata(counts, sizes_of_parts);
    std::vector<std::vector<std::size_t>> members(counts.size());
    for (std::size_t i = 0; i < strata.size(); ++i) members[strata[i]].push_back(i);

    RandomState random(random_state);
    std::vector<Split> splits(n_splits);
    for (auto& split : splits) {
        const auto in_train = approximate_mode(counts, sizes_of_parts.train, random);
        auto left = counts;
        for (std::size_t c = 0; c < left.size(); ++c) left[c] -= in_train[c];
        const auto in_test = approximate_mode(left, sizes_of_parts.test, random);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const auto order = random.permutation(counts[c]);
            for (std::size_t i = 0; i < in_train[c] + in_test[c]; ++i)
                (i < in_train[c] ? split.train : split.test).push_back(members[c][order[i]]);
        }
        permute(split.train, random);
        permute(split.test, random);
    }
    return splits;
}

std::vector<Split> k_fold(std::size_t n, std::size_t k, std::uint32_t random_state) {
    check_folds(n, k);
    const auto order = RandomState(random_state).permutation(n);
    std::vector<std::size_t> fold_of(n);
    std::size_t next = 0;
    for (std::size_t fold = 0; fold < k; ++fold)
        for (std::size_t i = 0; i < n / k + (fold < n % k); ++i) fold_of[order[next++]] = fold;
    return splits_of_folds(fold_of, k);
}

std::vector<Split> stratified_k_fold(const std::vector<std::size_t>& strata, std::size_t k,
                                     std::uint32_t random_state) {
    check_folds(strata.size(), k);
    const auto counts = class_counts(strata);
    if (*std::max_element(counts.begin(), counts.end()) < k)
        throw core::InputError("every stratum has fewer than " + std::to_string(k) + " members");
    auto sorted = strata;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::vector<std::size_t>> allocation(k, std::vector<std::size_t>(counts.size()));
    for (std::size_t i = 0; i < sorted.size(); ++i) ++allocation[i % k][sorted[i]];

    RandomState random(random_state);
    std::vector<std::size_t> fold_of(strata.size());
    for (std::size_t c = 0; c < counts.size(); ++c) {
        std::vector<std::size_t> folds;
        for (std::size_t fold = 0; fold < k; ++fold)
            folds.insert(folds.end(), allocation[fold][c], fold);
        random.shuffle(folds);
        std::size_t next = 0;
        for (std::size_t i = 0; i < strata.size(); ++i)
            if (strata[i] == c) fold_of[i] = folds[next++];
    }
    return splits_of_folds(fold_of, k);
}

}  // namespace ventral::stats

#pragma once
/// @file
/// Which part of a run's work each job of an array does. By cost, so that no shard is much longer
/// than another, and those that an array starts first hold the longest work.

#include <cstddef>
#include <string>
#include <vector>

namespace ventral::pipeline {

/// This job's part of the units: number `index` of `count`, counted from 0.
struct Shard {
    std::size_t index = 0;
    std::size_t count = 1;
};
/// "3/16". Throws `core::InputError`.
Shard parse_shard(const std::string& text);

/// The costs, with the mean of the others (1 if there are none) in place of those that are 0: not
/// known.
std::vector<double> with_guesses(std::vector<double> costs);

/// The shard, below `count`, of each piece of work: longest first (of equal ones the first named),
/// each to the shard that has least so far (R. Graham, 1969: at most 4/3 of the best possible).
/// So the longest pieces are in the lowest numbers, and every shard gets some of the short ones, of
/// which estimates miss most. Of the costs `with_guesses`.
std::vector<std::size_t> deal_shards(std::vector<double> costs, std::size_t count);

/// The shard of what has no cost: by the hash that `key`, hexadecimal, begins with.
std::size_t hashed_shard(const std::string& key, std::size_t count);

}  // namespace ventral::pipeline

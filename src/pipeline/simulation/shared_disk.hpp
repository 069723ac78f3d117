#pragma once
/// @file
/// A disk that several nodes read and write at once, in simulated time.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ventral::pipeline {

/// All transfers go on at the same speed: what a node can take, or an equal part of the whole.
/// Times are seconds and never go back.
class SharedDisk {
public:
    SharedDisk(double bytes_per_second, double bytes_per_second_of_a_node)
        : whole_(bytes_per_second), node_(bytes_per_second_of_a_node) {}

    /// A node has one transfer at a time.
    void begin(double now, std::size_t node, double bytes);
    void cancel(double now, std::size_t node);

    /// When the next transfer ends if none begins before; nothing if there is none.
    std::optional<double> next_end() const;
    /// Goes there, and returns the node whose transfer it is. Only where there is a `next_end`.
    std::size_t end_next();

private:
    double speed() const;
    void go_to(double now);

    double whole_;
    double node_;
    double now_ = 0;
    double served_ = 0;  ///< bytes that a transfer from the beginning on would have had
    std::set<std::pair<double, std::size_t>> ends_;  ///< in `served_`, with the node
    std::map<std::size_t, double> end_of_node_;
};

}  // namespace ventral::pipeline

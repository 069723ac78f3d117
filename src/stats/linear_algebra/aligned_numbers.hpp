#pragma once
/// @file
/// Numbers from the beginning of a cache line on, zeros at first; parts of such memory.

#include <cstddef>
#include <span>
#include <vector>

#include "core/ceil_divide.hpp"

namespace ventral::stats {

/// Of a cache line.
inline constexpr std::size_t doubles_a_line = 8;

/// So many doubles and what else is in their last cache line.
constexpr std::size_t whole_lines(std::size_t doubles) {
    return core::round_up(doubles, doubles_a_line);
}

/// The first `count` numbers of `numbers`, which then begins behind them.
inline std::span<double> take_front(std::span<double>& numbers, std::size_t count) {
    const auto front = numbers.first(count);
    numbers = numbers.subspan(count);
    return front;
}

class AlignedNumbers {
public:
    AlignedNumbers() = default;
    explicit AlignedNumbers(std::size_t size)
        : size_(size), lines_(core::ceil_divide(size, doubles_a_line)) {}

    double* data() { return reinterpret_cast<double*>(lines_.data()); }
    const double* data() const { return reinterpret_cast<const double*>(lines_.data()); }
    std::size_t size() const { return size_; }
    std::span<double> span() { return {data(), size_}; }
    std::span<const double> span() const { return {data(), size_}; }

private:
    struct alignas(64) Line {
        double values[doubles_a_line] = {};
    };

    std::size_t size_ = 0;
    std::vector<Line> lines_;
};

}  // namespace ventral::stats

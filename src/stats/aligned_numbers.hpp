#pragma once
/// @file
/// Numbers from the beginning of a cache line on, zeros at first.

#include <cstddef>
#include <span>
#include <vector>

namespace ventral::stats {

class AlignedNumbers {
public:
    AlignedNumbers() = default;
    explicit AlignedNumbers(std::size_t size) : size_(size), lines_((size + line - 1) / line) {}

    double* data() { return reinterpret_cast<double*>(lines_.data()); }
    const double* data() const { return reinterpret_cast<const double*>(lines_.data()); }
    std::size_t size() const { return size_; }
    std::span<double> span() { return {data(), size_}; }
    std::span<const double> span() const { return {data(), size_}; }

private:
    static constexpr std::size_t line = 8;
    struct alignas(64) Line {
        double values[line] = {};
    };

    std::size_t size_ = 0;
    std::vector<Line> lines_;
};

}  // namespace ventral::stats

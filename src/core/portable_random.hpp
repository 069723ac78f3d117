#pragma once
/// @file
/// Random numbers that are the same with every compiler and library, for data that the program
/// makes itself. NumPy's streams, which scores depend on, are in stats.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ventral::core {

/// Draws by formula from the 64-bit Mersenne Twister: the engine is fixed by the C++ standard, its
/// distributions are not.
class PortableRandom {
public:
    explicit PortableRandom(std::uint64_t seed) : engine_(seed) {}

    /// In [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double uniform(double least, double most) { return least + (most - least) * uniform(); }

    /// Mean 0 and variance 1, nearly normal: the sum of twelve uniform numbers, less 6. Needs no
    /// logarithm, whose last bit differs between libraries.
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum;
    }

    /// Exponential of mean 1, exactly, by comparisons alone (J. von Neumann, 1951): runs of falling
    /// uniform numbers are of odd length with the probability that is wanted.
    double exponential() {
        for (double whole = 0;; ++whole) {
            const double first = uniform();
            double last = first;
            bool odd = true;
            for (double next = uniform(); next < last; next = uniform()) {
                last = next;
                odd = !odd;
            }
            if (odd) return whole + first;
        }
    }

    /// One of 0 … count-1.
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>(uniform() * static_cast<double>(count));
    }

    /// `size` different numbers of 0 … count-1, in random order; size ≤ count.
    std::vector<std::size_t> choose(std::size_t size, std::size_t count) {
        std::vector<std::size_t> numbers(count);
        for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
        for (std::size_t i = 0; i < size; ++i) std::swap(numbers[i], numbers[i + below(count - i)]);
        numbers.resize(size);
        return numbers;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace ventral::core

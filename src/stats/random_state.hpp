#pragma once
/// @file
/// NumPy's legacy random stream, so that splits are those of the reference to the last integer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ventral::stats {

/// `numpy.random.RandomState(seed)`: MT19937 (Matsumoto & Nishimura 1998) with NumPy's legacy
/// derivations of integers, shuffles and choices (NUMERICS section 2.1).
class RandomState {
public:
    explicit RandomState(std::uint32_t seed);

    std::uint32_t next_word();

    /// Uniform in [0, max] by masked rejection, as `shuffle` uses it.
    std::uint64_t interval(std::uint64_t max);

    /// `random_sample()`: uniform in [0, 1) with 53 bits.
    double uniform();

    /// `shuffle`: Fisher–Yates from the end.
    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i-- > 1;)
            std::swap(values[i], values[static_cast<std::size_t>(interval(i))]);
    }

    /// `permutation(n)`.
    std::vector<std::size_t> permutation(std::size_t n);

    /// `randint(low, high)`: uniform in [low, high). Throws `std::invalid_argument` if low ≥ high.
    std::int64_t randint(std::int64_t low, std::int64_t high);

    /// `choice(n, size)`: positions drawn with replacement. Throws `std::invalid_argument` if there
    /// is nothing to choose from.
    std::vector<std::size_t> choice(std::size_t n, std::size_t size);

    /// `choice(n, size, replace=False)`: the beginning of a whole permutation. Throws
    /// `std::invalid_argument` if `size` exceeds n.
    std::vector<std::size_t> choice_without_replacement(std::size_t n, std::size_t size);

private:
    void twist();

    static constexpr std::size_t state_size = 624;
    std::array<std::uint32_t, state_size> state_{};
    std::size_t position_ = state_size;
};

}  // namespace ventral::stats

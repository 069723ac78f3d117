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
/// derivations of integers and shuffles (NUMERICS section 2.1).
class RandomState {
public:
    explicit RandomState(std::uint32_t seed);

    std::uint32_t next_word();

    /// Uniform in [0, max] by masked rejection, as `shuffle`, `randint` and `choice` use it.
    std::uint64_t interval(std::uint64_t max);

    /// `shuffle`: Fisher–Yates from the end.
    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i-- > 1;)
            std::swap(values[i], values[static_cast<std::size_t>(interval(i))]);
    }

    /// `permutation(n)`.
    std::vector<std::size_t> permutation(std::size_t n);

private:
    void twist();

    static constexpr std::size_t state_size = 624;
    std::array<std::uint32_t, state_size> state_{};
    std::size_t position_ = state_size;
};

}  // namespace ventral::stats

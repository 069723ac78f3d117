#pragma once
/// @file
/// NumPy's present random stream, for the metrics whose reference draws from `default_rng`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ventral::stats {

/// `numpy.random.default_rng(seed)`: PCG64 (XSL-RR 128/64, O'Neill 2014) seeded through NumPy's
/// SeedSequence, with NumPy's derivations of integers and shuffles (NUMERICS section 2.2).
class Pcg64 {
public:
    explicit Pcg64(std::uint64_t seed);

    std::uint64_t next();

    /// One half of `next()`: the low one first, the high one is kept for the next call.
    std::uint32_t next_half();

    /// Uniform in [0, max] by masked rejection, as `shuffle` uses it.
    std::uint64_t interval(std::uint64_t max);

    /// `integers(0, count, size)`: by multiplication and rejection (Lemire 2019). Needs `count`
    /// ≥ 1.
    std::vector<std::size_t> integers(std::size_t count, std::size_t size);

    /// `shuffle`: Fisher–Yates from the end.
    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i-- > 1;)
            std::swap(values[i], values[static_cast<std::size_t>(interval(i))]);
    }

    /// `permutation(values)` of a one-dimensional array.
    template <typename T>
    std::vector<T> permutation(std::vector<T> values) {
        shuffle(values);
        return values;
    }

private:
    struct Word128 {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
    };

    void step();
    std::uint64_t below(std::uint64_t count);

    Word128 state_;
    Word128 increment_;
    bool has_half_ = false;
    std::uint32_t half_ = 0;
};

/// `numpy.random.SeedSequence(seed).generate_state(4, uint64)`: what seeds a `Pcg64`.
std::array<std::uint64_t, 4> seed_sequence_state(std::uint64_t seed);

}  // namespace ventral::stats

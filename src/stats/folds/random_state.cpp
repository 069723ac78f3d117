#include "stats/folds/random_state.hpp"

#include <bit>
#include <numeric>

namespace ventral::stats {

RandomState::RandomState(std::uint32_t seed) {
    state_[0] = seed;
    for (std::uint32_t i = 1; i < state_size; ++i)
        state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
}

void RandomState::twist() {
    constexpr std::size_t middle = 397;
    for (std::size_t i = 0; i < state_size; ++i) {
        const std::uint32_t y =
            (state_[i] & 0x80000000U) | (state_[(i + 1) % state_size] & 0x7fffffffU);
        state_[i] = state_[(i + middle) % state_size] ^ (y >> 1U) ^ (y & 1U ? 0x9908b0dfU : 0U);
    }
    position_ = 0;
}

std::uint32_t RandomState::next_word() {
    if (position_ == state_size) twist();
    std::uint32_t y = state_[position_++];
    y ^= y >> 11U;
    y ^= (y << 7U) & 0x9d2c5680U;
    y ^= (y << 15U) & 0xefc60000U;
    return y ^ (y >> 18U);
}

std::uint64_t RandomState::interval(std::uint64_t max) {
    if (max == 0) return 0;
    const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(std::countl_zero(max));
    for (;;) {
        std::uint64_t word = next_word();
        if (max > 0xffffffffU) word = (word << 32U) | next_word();
        word &= mask;
        if (word <= max) return word;
    }
}

std::vector<std::size_t> RandomState::permutation(std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order);
    return order;
}

}  // namespace ventral::stats

#include "stats/random_state.hpp"

#include <bit>
#include <numeric>
#include <stdexcept>

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

double RandomState::uniform() {
    const double high = next_word() >> 5U;
    const double low = next_word() >> 6U;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::vector<std::size_t> RandomState::permutation(std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order);
    return order;
}

std::int64_t RandomState::randint(std::int64_t low, std::int64_t high) {
    if (low >= high) throw std::invalid_argument("randint: low is not below high");
    const auto first = static_cast<std::uint64_t>(low);
    const std::uint64_t span = static_cast<std::uint64_t>(high) - first - 1;
    return static_cast<std::int64_t>(first + interval(span));
}

std::vector<std::size_t> RandomState::choice(std::size_t n, std::size_t size) {
    if (n == 0 && size > 0) throw std::invalid_argument("choice: nothing to choose from");
    std::vector<std::size_t> drawn(size);
    for (auto& value : drawn) value = static_cast<std::size_t>(interval(n - 1));
    return drawn;
}

std::vector<std::size_t> RandomState::choice_without_replacement(std::size_t n, std::size_t size) {
    if (size > n) throw std::invalid_argument("choice: more to be drawn than there are");
    auto order = permutation(n);
    order.resize(size);
    return order;
}

}  // namespace ventral::stats

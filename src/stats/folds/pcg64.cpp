#include "stats/folds/pcg64.hpp"

#include <bit>

namespace ventral::stats {
namespace {

using Wide = __uint128_t;

constexpr std::size_t pool_size = 4;
using Pool = std::array<std::uint32_t, pool_size>;

Wide wide(std::uint64_t high, std::uint64_t low) { return (static_cast<Wide>(high) << 64U) | low; }
std::uint64_t high_half(Wide value) { return static_cast<std::uint64_t>(value >> 64U); }
std::uint64_t low_half(Wide value) { return static_cast<std::uint64_t>(value); }

/// A hash whose constant moves on with every use.
class MovingHash {
public:
    MovingHash(std::uint32_t start, std::uint32_t factor) : constant_(start), factor_(factor) {}

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant_;
        constant_ *= factor_;
        value *= constant_;
        return value ^ (value >> 16U);
    }

private:
    std::uint32_t constant_;
    std::uint32_t factor_;
};

std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t result = 0xca01f9ddU * x - 0x4973f715U * y;
    return result ^ (result >> 16U);
}

Pool entropy_pool(std::uint64_t seed) {
    MovingHash hash(0x43b0d7e5U, 0x931e8875U);
    // The seed's words, low first; those that are missing count as zero.
    Pool pool = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    for (auto& word : pool) word = hash(word);
    for (std::size_t from = 0; from < pool_size; ++from)
        for (std::size_t to = 0; to < pool_size; ++to)
            if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
    return pool;
}

}  // namespace

std::array<std::uint64_t, 4> seed_sequence_state(std::uint64_t seed) {
    const Pool pool = entropy_pool(seed);
    MovingHash hash(0x8b51f9ddU, 0x58f38dedU);
    std::array<std::uint64_t, 4> state{};
    for (std::size_t i = 0; i < 2 * state.size(); ++i) {
        const std::uint64_t word = hash(pool[i % pool_size]);
        state[i / 2] |= i % 2 == 0 ? word : word << 32U;
    }
    return state;
}

Pcg64::Pcg64(std::uint64_t seed) {
    const auto words = seed_sequence_state(seed);
    const Wide increment = (wide(words[2], words[3]) << 1U) | 1U;
    increment_ = {high_half(increment), low_half(increment)};
    step();
    const Wide start = wide(state_.high, state_.low) + wide(words[0], words[1]);
    state_ = {high_half(start), low_half(start)};
    step();
}

void Pcg64::step() {
    const Wide multiplier = wide(0x2360ed051fc65da4U, 0x4385df649fccf645U);
    const Wide state =
        wide(state_.high, state_.low) * multiplier + wide(increment_.high, increment_.low);
    state_ = {high_half(state), low_half(state)};
}

std::uint64_t Pcg64::next() {
    step();
    return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58U));
}

std::uint32_t Pcg64::next_half() {
    if (has_half_) {
        has_half_ = false;
        return half_;
    }
    const std::uint64_t word = next();
    has_half_ = true;
    half_ = static_cast<std::uint32_t>(word >> 32U);
    return static_cast<std::uint32_t>(word);
}

std::uint64_t Pcg64::interval(std::uint64_t max) {
    if (max == 0) return 0;
    const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(std::countl_zero(max));
    for (;;) {
        const std::uint64_t word = (max > 0xffffffffU ? next() : next_half()) & mask;
        if (word <= max) return word;
    }
}

std::uint64_t Pcg64::below(std::uint64_t count) {
    if (count <= 1) return 0;
    if (count == std::uint64_t{1} << 32U) return next_half();
    if (count < std::uint64_t{1} << 32U) {
        const auto small = static_cast<std::uint32_t>(count);
        const std::uint32_t threshold = (~small + 1U) % small;  // 2^32 mod count
        for (;;) {
            const std::uint64_t product = std::uint64_t{next_half()} * small;
            if (static_cast<std::uint32_t>(product) >= threshold) return product >> 32U;
        }
    }
    const std::uint64_t threshold = (~count + 1U) % count;  // 2^64 mod count
    for (;;) {
        const Wide product = static_cast<Wide>(next()) * count;
        if (low_half(product) >= threshold) return high_half(product);
    }
}

std::vector<std::size_t> Pcg64::integers(std::size_t count, std::size_t size) {
    std::vector<std::size_t> drawn(size);
    for (auto& value : drawn) value = static_cast<std::size_t>(below(count));
    return drawn;
}

}  // namespace ventral::stats

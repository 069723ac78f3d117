#include "stats/linear_algebra/pairwise_sum.hpp"

#include <array>
#include <cstddef>

namespace ventral::stats {
namespace {

constexpr std::size_t running = 8;
constexpr std::size_t longest_block = 128;

template <typename Real>
Real sum_block(std::span<const Real> values) {
    Real total = 0;
    std::size_t next = 0;
    if (values.size() >= running) {
        std::array<Real, running> s;
        for (std::size_t k = 0; k < running; ++k) s[k] = values[k];
        for (next = running; next + running <= values.size(); next += running)
            for (std::size_t k = 0; k < running; ++k) s[k] += values[next + k];
        total = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
    for (; next < values.size(); ++next) total += values[next];
    return total;
}

template <typename Real>
Real sum_halves(std::span<const Real> values) {
    if (values.size() <= longest_block) return sum_block(values);
    const std::size_t half = values.size() / 2 / running * running;
    return sum_halves(values.first(half)) + sum_halves(values.subspan(half));
}

}  // namespace

double pairwise_sum(std::span<const double> values) { return sum_halves(values); }

float pairwise_sum(std::span<const float> values) { return sum_halves(values); }

}  // namespace ventral::stats

#include "stats/pairwise_sum.hpp"

#include <array>
#include <cstddef>

namespace ventral::stats {
namespace {

constexpr std::size_t running = 8;
constexpr std::size_t longest_block = 128;

double sum_block(std::span<const double> values) {
    double total = 0;
    std::size_t next = 0;
    if (values.size() >= running) {
        std::array<double, running> s;
        for (std::size_t k = 0; k < running; ++k) s[k] = values[k];
        for (next = running; next + running <= values.size(); next += running)
            for (std::size_t k = 0; k < running; ++k) s[k] += values[next + k];
        total = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
    for (; next < values.size(); ++next) total += values[next];
    return total;
}

}  // namespace

double pairwise_sum(std::span<const double> values) {
    if (values.size() <= longest_block) return sum_block(values);
    const std::size_t half = values.size() / 2 / running * running;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

}  // namespace ventral::stats

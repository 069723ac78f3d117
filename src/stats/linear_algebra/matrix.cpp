#include "stats/linear_algebra/matrix.hpp"

#include <array>
#include <cmath>

namespace ventral::stats {
namespace {

constexpr std::size_t lanes = 8;

double add_lanes(const std::array<double, lanes>& s) {
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

}  // namespace

double sum(std::span<const double> values) {
    std::array<double, lanes> s{};
    const std::size_t whole = values.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) s[lane] += values[i + lane];
    for (std::size_t i = whole; i < values.size(); ++i) s[i - whole] += values[i];
    return add_lanes(s);
}

double dot(std::span<const double> a, std::span<const double> b) {
    std::array<double, lanes> s{};
    const std::size_t whole = a.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) s[lane] += a[i + lane] * b[i + lane];
    for (std::size_t i = whole; i < a.size(); ++i) s[i - whole] += a[i] * b[i];
    return add_lanes(s);
}

double euclidean_norm(std::span<const double> values) { return std::sqrt(dot(values, values)); }

}  // namespace ventral::stats

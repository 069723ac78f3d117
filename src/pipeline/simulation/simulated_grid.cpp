#include "pipeline/simulation/simulated_grid.hpp"

#include <numeric>

#include "core/portable_random.hpp"

namespace ventral::pipeline {
namespace {

/// With full tails, which a sum of uniform numbers has not: the longest unit lies far out there.
/// From two exponential draws by rejection (J. von Neumann, 1951).
double normal(core::PortableRandom& random) {
    for (;;) {
        const double x = random.exponential();
        if (2 * random.exponential() >= (x - 1) * (x - 1)) return random.uniform() < 0.5 ? -x : x;
    }
}

/// exp(x) for |x| below 100 or so to 1e-12, without a library whose last bit differs from
/// another's: the series of exp(x / 2^10), squared ten times.
double exponential_function(double x) {
    const double part = x / 1024;
    double term = 1, sum = 1;
    for (int k = 1; k <= 12; ++k) {
        term *= part / k;
        sum += term;
    }
    for (int i = 0; i < 10; ++i) sum *= sum;
    return sum;
}

}  // namespace

std::vector<double> log_normal_seconds(std::size_t count, double sigma, double mean_seconds,
                                       std::uint64_t seed) {
    core::PortableRandom random(seed);
    std::vector<double> seconds(count);
    for (auto& unit : seconds) unit = exponential_function(sigma * normal(random));
    const double mean =
        std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(count);
    for (auto& unit : seconds) unit *= mean_seconds / mean;
    return seconds;
}

}  // namespace ventral::pipeline

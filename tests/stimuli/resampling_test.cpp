#include "stimuli/resampling.hpp"

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

using namespace ventral;
using namespace ventral::stimuli;

namespace {

constexpr double one = 1 << weight_bits;

std::vector<double> weights(const Resampling& taps, std::size_t output) {
    std::vector<double> result;
    for (auto weight : taps.weights(output)) result.push_back(weight / one);
    return result;
}

TEST_CASE("halving by a box averages pairs") {
    const auto taps = resampling(4, 2, Interpolation::box);
    CHECK(taps.first == std::vector<std::size_t>{0, 2});
    CHECK(weights(taps, 0) == std::vector{0.5, 0.5});
    CHECK(weights(taps, 1) == std::vector{0.5, 0.5});
}

TEST_CASE("halving bilinearly is a triangle over four samples, cut at the border") {
    // Sample 1 of 3 from 6 lies at 3; the triangle of half-width 2 gives the samples at 1.5, 2.5,
    // 3.5, 4.5 the heights 1/4, 3/4, 3/4, 1/4, in sum 2. At the border 3/4, 3/4, 1/4 in sum 7/4.
    const auto taps = resampling(6, 3, Interpolation::bilinear);
    CHECK(taps.first == std::vector<std::size_t>{0, 1, 3});
    CHECK(weights(taps, 1) == std::vector{0.125, 0.375, 0.375, 0.125});
    const auto border = taps.weights(0);
    REQUIRE(border.size() == 3);
    CHECK(border[0] == std::lround(one * 3 / 7));
    CHECK(border[1] == std::lround(one * 3 / 7));
    CHECK(border[2] == std::lround(one / 7));
}

TEST_CASE("enlarging does not narrow the kernel below one sample") {
    // Sample 1 of 4 from 2 lies at 0.75, between the samples at 0.5 and 1.5.
    const auto taps = resampling(2, 4, Interpolation::bilinear);
    CHECK(weights(taps, 1) == std::vector{0.75, 0.25});
}

TEST_CASE("the cubic is Keys' with a = -1/2") {
    // Doubling: sample 5 of 16 from 8 lies at 2.75, a quarter after the sample at 2.5
    // (distances 1.25, 0.25, 0.75, 1.75): -0.0703125, 0.8671875, 0.2265625, -0.0234375.
    const auto taps = resampling(8, 16, Interpolation::bicubic);
    CHECK(taps.first[5] == 1);
    CHECK(weights(taps, 5) == std::vector{-0.0703125, 0.8671875, 0.2265625, -0.0234375});
}

TEST_CASE("the weights of every output sample add up to one") {
    for (auto interpolation : {Interpolation::box, Interpolation::bilinear, Interpolation::bicubic,
                               Interpolation::lanczos})
        for (std::size_t output : {1, 7, 64, 224, 500}) {
            const auto taps = resampling(101, output, interpolation);
            REQUIRE(taps.first.size() == output);
            for (std::size_t i = 0; i < output; ++i) {
                const auto of_sample = taps.weights(i);
                REQUIRE(taps.first[i] + of_sample.size() <= 101);
                const auto sum = std::accumulate(of_sample.begin(), of_sample.end(), 0);
                // Each weight is off by at most half a unit.
                CHECK(std::abs(sum - one) <= 0.5 * static_cast<double>(of_sample.size()));
            }
        }
}

}  // namespace

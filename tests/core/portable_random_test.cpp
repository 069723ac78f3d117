#include "core/portable_random.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using ventral::core::PortableRandom;

TEST_CASE("the stream of a seed is fixed") {
    // The C++ standard states the 10000th output of a default-seeded mt19937_64 (seed 5489).
    PortableRandom random(5489);
    for (int i = 0; i < 9999; ++i) random.uniform();
    CHECK(random.uniform() == static_cast<double>(9981545732273789042ULL >> 11) * 0x1p-53);
}

TEST_CASE("normal draws have mean 0 and variance 1") {
    PortableRandom random(1);
    const int count = 100000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
    }
    // Five standard errors: 1/sqrt(n) of the mean, about sqrt(2/n) of the variance.
    CHECK(sum / count == Approx(0).margin(0.016));
    CHECK(squares / count == Approx(1).margin(0.023));
}

TEST_CASE("exponential draws have mean 1 and outlast x with probability exp(-x)") {
    PortableRandom random(3);
    const int count = 100000;
    double sum = 0;
    int beyond_half = 0, beyond_three = 0;
    for (int i = 0; i < count; ++i) {
        const double x = random.exponential();
        sum += x;
        beyond_half += x > 0.5 ? 1 : 0;
        beyond_three += x > 3 ? 1 : 0;
    }
    // Five standard errors: 1/sqrt(n) of the mean, sqrt(p(1-p)/n) of the shares.
    CHECK(sum / count == Approx(1).margin(0.016));
    CHECK(beyond_half / double(count) == Approx(0.6065).margin(0.0078));
    CHECK(beyond_three / double(count) == Approx(0.0498).margin(0.0035));
}

TEST_CASE("chosen numbers are different and below the count") {
    PortableRandom random(2);
    for (int i = 0; i < 100; ++i) {
        auto chosen = random.choose(5, 7);
        REQUIRE(chosen.size() == 5);
        std::sort(chosen.begin(), chosen.end());
        CHECK(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
        CHECK(chosen.back() < 7);
    }
    auto all = random.choose(4, 4);
    std::sort(all.begin(), all.end());
    CHECK(all == std::vector<std::size_t>{0, 1, 2, 3});
}

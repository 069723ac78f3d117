#include "models/runtime/convolution_rate.hpp"

#include <catch2/catch.hpp>

using namespace ventral;

TEST_CASE("several workers convolve at some rate") {
    core::Workers workers(2);
    const double rate = models::convolution_rate(workers);
    // Between a slow machine with checks on and any processor there is.
    CHECK(rate > 1e6);
    CHECK(rate < 1e13);
}

#include "stats/logistic/float_exp.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

using ventral::stats::float_exp;

TEST_CASE("the exponential has NumPy's bits") {
    // numpy.exp(numpy.float32(x)) of NumPy 1.24 on AVX-512. Some of these are not the nearest
    // float32; the last two lie between two reductions.
    struct Example {
        float x;
        std::uint32_t bits;
    };
    const Example examples[] = {
        {0.0F, 0x3f800000},
        {-0.0F, 0x3f800000},
        {1.0F, 0x402df855},
        {-1.0F, 0x3ebc5ab1},
        {0.5F, 0x3fd3094c},
        {88.69999694824219F, 0x7f7a37fd},
        {-87.19999694824219F, 0x0092ba47},
        {-95.5F, 0x00000956},
        {-103.9000015258789F, 0x00000001},
        {9.537611961364746F, 0x4658bf21},
        {-2.3476309776306152F, 0x3dc3c780},
        {-13.66760540008545F, 0x359b9cc7},
        {0.9227361679077148F, 0x402108dc},
        {74.5133209F, 0x753504e8},
        {-65.5024109F, 0x103504d8},
    };
    for (const auto& [x, bits] : examples) {
        INFO("exp(" << x << ")");
        CHECK(std::bit_cast<std::uint32_t>(float_exp(x)) == bits);
    }
}

TEST_CASE("the exponential is right to 2.52 units of the last place") {
    for (float x = -87; x < 88; x += 0.0137F) {
        const double exact = std::exp(static_cast<double>(x));
        CHECK(std::abs(static_cast<double>(float_exp(x)) - exact) < 2.52 * exact * 0x1p-23);
    }
}

TEST_CASE("the exponential ends where float32 does") {
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(float_exp(88.73F) == infinity);
    CHECK(float_exp(infinity) == infinity);
    CHECK(float_exp(-104) == 0);
    CHECK(float_exp(-infinity) == 0);
    CHECK(std::isnan(float_exp(std::numeric_limits<float>::quiet_NaN())));
}

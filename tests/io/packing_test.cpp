#include "io/netcdf/packing.hpp"

#include <cmath>
#include <cstdint>

#include <catch2/catch.hpp>

using ventral::io::Packing;

TEST_CASE("packed numbers are scaled, then shifted, and missing ones are NaN") {
    const Packing packing{{-9, -8}, 0.5, 3, {}};
    std::vector<double> values{-9, -8, 4, 0};
    packing.decode(values);
    CHECK(std::isnan(values[0]));
    CHECK(std::isnan(values[1]));
    CHECK(values[2] == 5);  // 4 · 0.5 + 3
    CHECK(values[3] == 3);
}

TEST_CASE("numbers without packing are left as they are") {
    const Packing packing;
    CHECK(packing.is_plain());
    std::vector<float> values{1.5F, -0.0F};
    packing.decode(values);
    CHECK(values[0] == 1.5F);
    CHECK(std::signbit(values[1]));
}

TEST_CASE("integers of the other sign are those of the same bits") {
    const Packing bytes{{}, 1, 0, {{0, 256}}};
    std::vector<std::int64_t> values{0, 127, -128, -1};
    CHECK(bytes.keeps_integers());
    bytes.decode(values);
    CHECK(values == std::vector<std::int64_t>{0, 127, 128, 255});
    const Packing shorts{{-1}, 0.5, 0, {{-32768, 65536}}};
    CHECK_FALSE(shorts.keeps_integers());
    std::vector<double> numbers{32767, 32768, 65535};
    shorts.decode(numbers);
    CHECK(numbers[0] == 16383.5);
    CHECK(numbers[1] == -16384);
    CHECK(std::isnan(numbers[2]));
}

TEST_CASE("integers of 64 bits and the other sign become float64") {
    CHECK_FALSE(Packing{{}, 1, 0, {{0, std::ldexp(1.0, 64)}}}.keeps_integers());
}

#include "io/packing.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using ventral::core::Attribute;
using ventral::io::packing_of;

TEST_CASE("packed numbers are scaled, then shifted, and missing ones are NaN") {
    const auto packing = packing_of({{"_FillValue", std::int64_t{-9}},
                                     {"missing_value", -8.0},
                                     {"scale_factor", 0.5},
                                     {"add_offset", 3.0}});
    std::vector<double> values{-9, -8, 4, 0};
    packing.decode(values);
    CHECK(std::isnan(values[0]));
    CHECK(std::isnan(values[1]));
    CHECK(values[2] == 5);  // 4 · 0.5 + 3
    CHECK(values[3] == 3);
}

TEST_CASE("numbers without packing are left as they are") {
    const auto packing = packing_of({{"units", std::string("Hz")}, {"_FillValue", NAN}});
    CHECK(packing.is_plain());
    std::vector<float> values{1.5F, -0.0F};
    packing.decode(values);
    CHECK(values[0] == 1.5F);
    CHECK(std::signbit(values[1]));
}

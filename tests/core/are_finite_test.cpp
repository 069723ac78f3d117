#include "core/are_finite.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using ventral::core::are_finite;

TEST_CASE("values are finite but for NaN and infinities, wherever they are") {
    using limits = std::numeric_limits<float>;
    std::vector<float> values(37, limits::max());
    values[3] = limits::denorm_min();
    values[5] = -0.0F;
    CHECK(are_finite(values));
    CHECK(are_finite({}));
    for (const float odd : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
        for (const std::size_t place : {0UL, 17UL, 36UL}) {
            auto with_odd = values;
            with_odd[place] = odd;
            CHECK_FALSE(are_finite(with_odd));
        }
}

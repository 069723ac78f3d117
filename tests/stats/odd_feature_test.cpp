#include "stats/gram/odd_feature.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "stats/gram/matrix_slabs.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;

TEST_CASE("the first feature that is not finite is found in whatever slab") {
    Matrix x = ventral::test::random_matrix(4, 5000, 1);
    CHECK_FALSE(find_odd_feature(5000, slabs_of_columns(x)).has_value());
    x(3, 4999) = -std::numeric_limits<double>::infinity();
    x(2, 4097) = std::numeric_limits<double>::quiet_NaN();
    auto odd = find_odd_feature(5000, slabs_of_columns(x));
    REQUIRE(odd);
    CHECK(odd->row == 2);
    CHECK(odd->feature == 4097);
    CHECK(odd->value != odd->value);
    x(2, 4097) = 0;
    odd = find_odd_feature(5000, slabs_of_columns(x));
    REQUIRE(odd);
    CHECK(odd->row == 3);
    CHECK(odd->feature == 4999);
    CHECK(odd->value == -std::numeric_limits<double>::infinity());
}

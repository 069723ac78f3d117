#include "core/group_means.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

namespace {

/// [2][3][2]: 0 … 11.
Assembly twelve_numbers() {
    Assembly assembly;
    assembly.name = "twelve.nc";
    assembly.dims = {{"a", 2}, {"b", 3}, {"c", 2}};
    assembly.values = std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    return assembly;
}

}  // namespace

TEST_CASE("means of groups along any dimension, whose rows may be in several") {
    const auto numbers = twelve_numbers();
    CHECK(group_means(numbers, "a", {{0, 1}, {0, 2}}) == std::vector<double>{3, 4, 5, 6, 7, 8});
    CHECK(group_means(numbers, "b", {{0, 2, 2}, {0, 2, 3}}) ==
          std::vector<double>{2, 3, 4, 5, 8, 9, 10, 11});
    CHECK(group_means(numbers, "c", {{1, 0}, {0, 1, 2}}) ==
          std::vector<double>{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10});
}

TEST_CASE("what is NaN does not count in the mean of a group") {
    auto numbers = twelve_numbers();
    numbers.values = std::vector<double>{NAN, 1, 2, NAN, 4, NAN, 6, 7, 8, 9, 10, 11};
    const auto means = group_means(numbers, "b", {{0, 1}, {0, 2}});
    CHECK(means == std::vector<double>{2, 1, 7, 8});
    numbers.values = std::vector<double>(12, NAN);
    CHECK(std::isnan(group_means(numbers, "b", {{0, 1}, {0, 2}})[0]));
}

TEST_CASE("strings have no mean") {
    auto texts = twelve_numbers();
    texts.values = std::vector<std::string>(12, "x");
    CHECK_THROWS_WITH(group_means(texts, "b", {{0}, {0, 1}}),
                      Catch::StartsWith("twelve.nc: ") && Catch::Contains("strings"));
}

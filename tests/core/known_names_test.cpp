#include "core/known_names.hpp"

#include <catch2/catch.hpp>

using ventral::core::known_names;

TEST_CASE("known names are listed behind those that are near") {
    CHECK(known_names("relu_1", {"relu_2", "conv"}) ==
          ", did you mean 'relu_2'? (known: relu_2, conv)");
    CHECK(known_names("V4", {"features.1", "features.2"}) == " (known: features.1, features.2)");
    CHECK(known_names("V4", {}) == " (none are known)");
}

TEST_CASE("of many names the first are listed") {
    const auto listed = known_names("V4", std::vector<std::string>(31, "x1"));
    CHECK_THAT(listed, Catch::EndsWith("x1, x1, …)"));
    CHECK(listed.size() ==
          known_names("V4", std::vector<std::string>(30, "x1")).size() + std::string(", …").size());
}

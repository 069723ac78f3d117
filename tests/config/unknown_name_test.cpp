#include "config/unknown_name.hpp"

#include <catch2/catch.hpp>

using ventral::config::unknown_name;

TEST_CASE("an unknown name is answered with near names and the known ones") {
    CHECK(unknown_name("model", "alexnat", {"alexnet", "vgg"}) ==
          "unknown model 'alexnat', did you mean 'alexnet'? (known: alexnet, vgg)");
    CHECK(unknown_name("model", "x", {}) == "unknown model 'x' (none are known)");
}

TEST_CASE("a long list of known names is cut") {
    std::vector<std::string> known;
    for (int i = 100; i < 200; ++i) known.push_back(std::to_string(i));
    const auto text = unknown_name("model", "resnet", known);
    CHECK_THAT(text, Catch::Contains("129, …)"));
    CHECK_THAT(text, !Catch::Contains("130"));
}

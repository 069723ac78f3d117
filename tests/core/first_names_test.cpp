#include "core/first_names.hpp"

#include <catch2/catch.hpp>

using ventral::core::near_or_first_names;

TEST_CASE("of names of which none is near the first are listed") {
    CHECK(near_or_first_names("relu_1", {"relu_2", "conv"}) == ", did you mean 'relu_2'?");
    CHECK(near_or_first_names("V4", {"features.1", "features.2"}) ==
          " (there are features.1, features.2)");
    CHECK(near_or_first_names("V4", {}).empty());
    std::vector<std::string> many;
    for (int i = 0; i < 15; ++i) many.push_back("layer" + std::to_string(i));
    CHECK(near_or_first_names("V4", many) ==
          " (there are layer0, layer1, layer2, layer3, layer4, layer5, layer6, layer7, layer8, "
          "layer9, layer10, layer11 and 3 more)");
}

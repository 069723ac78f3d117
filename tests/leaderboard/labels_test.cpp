#include "leaderboard/labels.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using leaderboard::coordinates_from_json;

TEST_CASE("labels keep their order and take the type that fits all values") {
    const auto labels = coordinates_from_json(
        R"({"kind":"labels","key":"K","coords":{"region":{"values":["V4","inf"]},)"
        R"("animal":{"values":[1,-2]},"x":{"values":[0.5,3,null,"-inf"]}}})");
    REQUIRE(labels.size() == 3);
    CHECK(labels[0].name == "region");
    CHECK(labels[0].dim == "neuroid");
    CHECK(labels[0].values == core::Values(std::vector<std::string>{"V4", "inf"}));
    CHECK(labels[1].values == core::Values(std::vector<std::int64_t>{1, -2}));
    const auto& x = std::get<std::vector<double>>(labels[2].values);
    CHECK(x[0] == 0.5);
    CHECK(x[1] == 3);
    CHECK(std::isnan(x[2]));
    CHECK((std::isinf(x[3]) && x[3] < 0));
}

TEST_CASE("labels may be along another dimension than neuroid") {
    const auto labels =
        coordinates_from_json(R"({"coords":{"start":{"dim":"time_bin","values":[70,90]}}})");
    REQUIRE(labels.size() == 1);
    CHECK(labels[0].dim == "time_bin");
}

TEST_CASE("labels of another form are an error") {
    const std::string text =
        GENERATE(R"({"key":"K"})", R"({"coords":{"a":{}}})", R"({"coords":{"a":{"values":5}}})",
                 R"({"coords":{"a":{"values":[1,"V4"]}}})", R"({"coords":{"a":{"values":[[1]]}}})",
                 "[1", "5");
    CHECK_THROWS_AS(coordinates_from_json(text), core::InputError);
}

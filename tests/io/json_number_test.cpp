#include "io/text/json_number.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

using namespace ventral;
using Json = nlohmann::ordered_json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("numbers that JSON lacks come back from its text") {
    const core::Values values = std::vector<double>{0.1, -infinity, infinity, nan, 2};
    const auto text = io::json_values(values).dump();
    CHECK(text == R"([0.1,"-inf","inf",null,2.0])");
    const auto list = Json::parse(text);
    CHECK(io::number_from_json(list[0]) == 0.1);
    CHECK(io::number_from_json(list[1]) == -infinity);
    CHECK(io::number_from_json(list[2]) == infinity);
    CHECK(std::isnan(io::number_from_json(list[3])));
}

TEST_CASE("labels come back with their type") {
    for (const auto& [values, text] : std::vector<std::pair<core::Values, std::string>>{
             {std::vector<double>{infinity, -infinity},
              R"({"values":["inf","-inf"],"dtype":"float64"})"},
             {std::vector<double>{infinity, 1}, R"({"values":["inf",1.0]})"},
             {std::vector<double>{}, R"({"values":[],"dtype":"float64"})"},
             {std::vector<std::string>{}, R"({"values":[]})"},
             {std::vector<std::string>{"inf", "a"}, R"({"values":["inf","a"]})"},
             {std::vector<std::int64_t>{3, -2}, R"({"values":[3,-2]})"}}) {
        Json json;
        io::put_labels(json, values);
        CHECK(json.dump() == text);
        CHECK(io::labels_from_json(Json::parse(text)) == values);
    }
    CHECK_THROWS_AS(io::labels_from_json(Json::parse(R"({"values":3})")), core::InputError);
}

TEST_CASE("texts and integers stay what they are") {
    CHECK(io::json_values(std::vector<std::string>{"inf", "a"}).dump() == R"(["inf","a"])");
    CHECK(io::json_values(std::vector<std::int64_t>{1, -2}).dump() == "[1,-2]");
}

TEST_CASE("what is no number is refused") {
    CHECK_THROWS_AS(io::number_from_json("seven"), core::InputError);
    CHECK_THROWS_AS(io::number_from_json(Json::array()), Json::exception);
}

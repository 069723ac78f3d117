#include "io/text/json_problem.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ventral;

namespace {

std::string problem_of(const std::string& text) {
    try {
        const auto json = nlohmann::json::parse(text);
        [[maybe_unused]] const std::string host = json.at("host");
    } catch (const nlohmann::json::exception& error) {
        return io::json_problem(error, text);
    }
    return "none";
}

}  // namespace

TEST_CASE("what is no JSON is told by its place and in our words") {
    CHECK(problem_of(R"({"host": "n1"})") == "none");
    CHECK(problem_of("splits=3") == "line 1, column 1: 's' is not expected here");
    CHECK(problem_of("{\n  \"host\": \"n1\",\n  \"b\": }\n}") ==
          "line 3, column 8: '}' is not expected here");
    CHECK(problem_of("{\"host\" \x01}") ==
          "line 1, column 9: what stands there is not expected here");
    CHECK(problem_of("{\"host\": [1, 2") == "the text ends too early");
    CHECK(problem_of("") == "the text ends too early");
}

TEST_CASE("so is JSON of another shape") {
    CHECK(problem_of("{}") == "the member 'host' is missing");
    CHECK(problem_of(R"({"host": 3})") == "a member is not of the type it should be");
    CHECK(problem_of("[]") == "a member is not of the type it should be");
    CHECK(problem_of(R"({"host": 1e999})") == "a number is too large");
    CHECK(io::json_problem(std::runtime_error("a reason of its own")) == "a reason of its own");
}

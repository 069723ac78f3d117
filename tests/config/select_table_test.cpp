#include "config/select_table.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

std::vector<ventral::core::Condition> select(const std::string& text) {
    const auto contents = toml::parse("select = " + text);
    return read_select(Value("a.toml", "'select'", *contents.get("select")), {{"region", "V4"}});
}

}  // namespace

TEST_CASE("a condition is a value, a list of values or a range") {
    const auto conditions =
        select("{ a = 'x', b = ['y', 2, 0.5], c = { min = 0.3 }, d = { min = -1, max = 2.5 } }");
    REQUIRE(conditions.size() == 4);
    CHECK(conditions[0].coordinate == "a");
    CHECK(conditions[0].values == std::vector<std::string>{"x"});
    CHECK(conditions[1].values == std::vector<std::string>{"y", "2", "0.5"});
    CHECK(conditions[2].minimum == 0.3);
    CHECK(!conditions[2].maximum);
    CHECK(conditions[2].values.empty());
    CHECK(conditions[3].minimum == -1.0);
    CHECK(conditions[3].maximum == 2.5);
}

TEST_CASE("a label may be a placeholder") {
    CHECK(select("{ region = '{region}' }").at(0).values == std::vector<std::string>{"V4"});
}

TEST_CASE("what is true or false is so in netCDF and in tables") {
    const auto conditions = select("{ a = true, b = [false, 'unknown'] }");
    CHECK(conditions.at(0).values == std::vector<std::string>{"1", "True", "true", "TRUE"});
    CHECK(conditions.at(1).values ==
          std::vector<std::string>{"0", "False", "false", "FALSE", "unknown"});
}

TEST_CASE("a condition that can never hold or says nothing is an error") {
    CHECK(input_error([] { select("{ a = { min = 2, max = 1 } }"); }) ==
          "a.toml:1:16: 'min' is above 'max'");
    CHECK(input_error([] { select("{ a = {} }"); }) == "a.toml:1:16: a range needs 'min' or 'max'");
    CHECK(input_error([] { select("{ a = [] }"); }) == "a.toml:1:16: 'a' may not be empty");
    CHECK(input_error([] { select("{ a = { minimum = 2 } }"); }) ==
          "a.toml:1:18: unknown key 'minimum' in [a] (known: max, min)");
    CHECK(input_error([] { select("{ a = 2020-01-01 }"); }) ==
          "a.toml:1:16: 'a' must be a string, a number, true or false, a list of them or a range "
          "{ min = …, max = … }, not a date or time");
    CHECK(input_error([] { select("'V4'"); }) ==
          "a.toml:1:10: 'select' must be a table, not a string");
}

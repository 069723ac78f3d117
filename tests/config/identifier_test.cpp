#include "config/identifier.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::test::input_error;

namespace {

struct OneValue {
    explicit OneValue(const std::string& text)
        : contents(toml::parse("id = '" + text + "'")),
          value("a.toml", "'id'", *contents.get("id")) {}

    toml::table contents;
    Value value;
};

}  // namespace

TEST_CASE("an identifier may be made of the names that the field uses") {
    for (const char* text : {"V4-201016-pls", "dicarlo.MajajHong2015.IT-pls", "résnet_18+v1"})
        CHECK(read_identifier(OneValue(text).value) == text);
}

TEST_CASE("an identifier that would not fit a command line or a file name is an error") {
    const auto error = [](const std::string& text) {
        return input_error([&] { read_identifier(OneValue(text).value); });
    };
    CHECK(error("a b") == "a.toml:1:6: identifier 'a b' may not contain blanks");
    CHECK(error("a,b") == "a.toml:1:6: identifier 'a,b' may not contain ,");
    CHECK(error("../a") == "a.toml:1:6: identifier '../a' may not begin with a dot");
    CHECK(error("a/b") == "a.toml:1:6: identifier 'a/b' may not contain /");
}

TEST_CASE("a template is filled in") {
    const Placeholders placeholders = {{"metric", "pls"}, {"region", "V4"}};
    CHECK(read_template(OneValue("{region}-{metric}").value, placeholders) == "V4-pls");
    CHECK(read_template(OneValue("plain").value, placeholders) == "plain");
    CHECK(read_template(OneValue("{metric}").value, placeholders) == "pls");
}

TEST_CASE("a template with an unknown placeholder or an open brace is an error") {
    const Placeholders placeholders = {{"metric", "pls"}, {"region", "V4"}};
    const auto error = [&](const std::string& text) {
        return input_error([&] { read_template(OneValue(text).value, placeholders); });
    };
    CHECK(
        error("V4-{metrik}") ==
        "a.toml:1:6: unknown placeholder 'metrik', did you mean 'metric'? (known: metric, region)");
    CHECK(error("V4-{metric") == "a.toml:1:6: '{' without '}' in 'V4-{metric'");
}

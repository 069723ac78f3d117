#include "io/csv.hpp"

#include <catch2/catch.hpp>

using ventral::io::parse_csv;
using Fields = std::vector<std::string>;

TEST_CASE("fields are split at commas and lines, with or without a last line break") {
    for (const auto* text : {"a,b\n1,\n,2\n", "a,b\r\n1,\r\n,2",
                             "\xEF\xBB\xBF"
                             "a,b\n\n1,\n,2\n\n"}) {
        const auto table = parse_csv("t.csv", text);
        CHECK(table.names == Fields{"a", "b"});
        REQUIRE(table.rows.size() == 2);
        CHECK(table.rows[0].fields == Fields{"1", ""});
        CHECK(table.rows[1].fields == Fields{"", "2"});
    }
}

TEST_CASE("quotes protect commas, line breaks and doubled quotes") {
    const auto table = parse_csv("t.csv", "a,b\n\"x,\"\"y\"\"\",\"two\nlines\"\n\"\",last\n");
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].fields == Fields{"x,\"y\"", "two\nlines"});
    CHECK(table.rows[0].line == 2);
    CHECK(table.rows[1].fields == Fields{"", "last"});
    CHECK(table.rows[1].line == 4);
}

TEST_CASE("a malformed table is an error that gives the line") {
    const auto message = [](const char* text) {
        try {
            parse_csv("t.csv", text);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK_THAT(message(""), Catch::StartsWith("t.csv:1: the table is empty"));
    CHECK_THAT(message("a,b\n1,2\n3\n"), Catch::StartsWith("t.csv:3: has 1 fields"));
    CHECK_THAT(message("a,b\n\"1\n2\",3,4\n"), Catch::StartsWith("t.csv:2: has 3 fields"));
    CHECK_THAT(message("a,b\n1,\"2\n\n"), Catch::StartsWith("t.csv:2: a quote is opened"));
    CHECK_THAT(message("a,b\n1,\"2\"x\n"), Catch::StartsWith("t.csv:2: text after the closing"));
    CHECK_THAT(message("a,b\n1,2\"\n"), Catch::StartsWith("t.csv:2: a quote in the middle"));
    CHECK_THAT(message("a,a\n"), Catch::StartsWith("t.csv:1: two columns are named 'a'"));
}

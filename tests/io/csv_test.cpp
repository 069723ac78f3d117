#include "io/text/csv.hpp"

#include <catch2/catch.hpp>

using ventral::io::parse_csv;
using Fields = std::vector<std::string>;

TEST_CASE("fields are split at commas and lines, with or without a last line break") {
    for (const auto* text : {"a,b\n1,\n,2\n", "a,b\r\n1,\r\n,2", "a,b\r1,\r,2\r", "a,b\r\r1,\r,2",
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

TEST_CASE("lines are counted alike at LF, CRLF and CR, inside quotes too") {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        const auto table = parse_csv("t.csv", "a,b" + end + "\"1" + end + "2\",3" + end + "4,5");
        REQUIRE(table.rows.size() == 2);
        CHECK(table.rows[0].fields == Fields{"1" + end + "2", "3"});
        CHECK(table.rows[1].line == 4);
    }
}

TEST_CASE("a quote inside a field without quotes is taken as it is") {
    const auto table = parse_csv("t.csv", "a,b\n5\"6,2\"\n");
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0].fields == Fields{"5\"6", "2\""});
}

TEST_CASE("text beyond ASCII is kept as UTF-8") {
    CHECK(parse_csv("t.csv", "a\nM\xC3\xBCller\n").rows[0].fields == Fields{"M\xC3\xBCller"});
}

TEST_CASE("a malformed table is an error that gives the line") {
    using namespace std::string_literals;
    const auto message = [](const std::string& text) {
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
    CHECK_THAT(message("\"a\";\"b\"\n"), Catch::StartsWith("t.csv:1: text after the closing") &&
                                             Catch::Contains("a comma, not ';'"));
    CHECK_THAT(message("a\tb\n1\t2,3\n"),
               Catch::StartsWith("t.csv:2: has 2 fields") && Catch::Contains("not a tab"));
    CHECK_THAT(message("a,a\n"), Catch::StartsWith("t.csv:1: two columns are named 'a'"));
    CHECK(message("a,b\r1,2\rM\xFCller,3\r") == "t.csv:3: is not UTF-8, save it as UTF-8");
    CHECK(message("\xFF\xFE"s + "a\0,\0b\0\n\0"s) == "t.csv:1: is UTF-16, save it as UTF-8");
    CHECK(message("\x89PNG\r\n") == "t.csv: is an image, name its folder or a stimulus table");
    CHECK(message("\x89HDF\r\n\x1a\n\0"s) ==
          "t.csv: is netCDF or HDF5, name a stimulus table (CSV)");
    CHECK(message("\0a\0,\0b"s) == "t.csv:1: has a zero byte (UTF-16?), save it as UTF-8");
}

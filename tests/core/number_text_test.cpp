#include "core/number_text.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral::core;

TEST_CASE("numbers are written in their shortest exact form") {
    CHECK(number_text(0.1) == "0.1");
    CHECK(number_text(0.1f) == "0.1");
    CHECK(number_text(1e-300) == "1e-300");
    CHECK(number_text(-2.0) == "-2");
    CHECK(number_text(-0.0) == "-0");
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(number_text(infinity) == "inf");
    CHECK(number_text(-infinity) == "-inf");
    CHECK(number_text(-std::nan("")) == "nan");
}

TEST_CASE("numbers for people have the decimals they are asked for") {
    CHECK(fixed_text(0.1, 2) == "0.10");
    CHECK(fixed_text(2.5, 0) == "2");
    CHECK(fixed_text(-1234.5678, 1) == "-1234.6");
    CHECK(fixed_text(std::numeric_limits<double>::max(), 100).size() == 309 + 1 + 100);
}

TEST_CASE("what is written reads back to the same bits") {
    for (const double value : {1.0 / 3.0, 5e-324, std::numeric_limits<double>::max(), 1e23})
        CHECK(parse_number(number_text(value)) == value);
}

TEST_CASE("a number is the whole text or nothing") {
    CHECK(parse_number("-1.5e3") == -1500.0);
    CHECK(std::isnan(parse_number("nan").value()));
    CHECK_FALSE(parse_number("1.5x"));
    CHECK_FALSE(parse_number(" 1"));
    CHECK_FALSE(parse_number("1,5"));
    CHECK_FALSE(parse_number(""));
    CHECK(parse_integer("-42") == -42);
    CHECK_FALSE(parse_integer("4.0"));
    CHECK_FALSE(parse_integer("9223372036854775808"));
}

TEST_CASE("sizes have units of 1024 with an i and of 1000 without") {
    CHECK(parse_bytes("8GiB") == 8589934592);
    CHECK(parse_bytes("512 MiB") == 536870912);
    CHECK(parse_bytes("1.5e9") == 1500000000);
    CHECK(parse_bytes("600MB") == 600000000);
    CHECK(parse_bytes("2G") == 2147483648);
    CHECK(parse_bytes("3M") == 3145728);
    CHECK(parse_bytes("0") == 0);
    CHECK(parse_bytes("8gib") == 8589934592);
    CHECK(parse_bytes("600mb") == 600000000);
    CHECK(parse_bytes("1 KB") == 1000);
    CHECK(parse_bytes(" 8\tGiB\t\n") == 8589934592);
    for (const auto* wrong : {"", "GiB", "8 GiBs", "-1", "nan", "1e30", "8 8GiB"})
        CHECK_THROWS_AS(parse_bytes(wrong), InputError);
}

TEST_CASE("sizes for people have one decimal") {
    CHECK(bytes_text(1.5 * 1024 * 1024 * 1024) == "1.5 GiB");
    CHECK(bytes_text(1000) == "1000 B");
    CHECK(bytes_text(2048) == "2 KiB");
}

TEST_CASE("a setting of memory is never less than the bytes") {
    CHECK(memory_setting(395 * 1048576.0) == "395MiB");
    CHECK(memory_setting(395 * 1048576.0 + 1) == "396MiB");
    CHECK(parse_bytes(memory_setting(1e11)) >= 100000000000);
}

TEST_CASE("durations are numbers with units that get smaller") {
    CHECK(parse_duration("3h50m") == 13800);
    CHECK(parse_duration("90s") == 90);
    CHECK(parse_duration("45") == 45);
    CHECK(parse_duration("1d 0.5h") == 88200);
    CHECK(parse_duration("\t3h\t50m\t") == 13800);
    for (const auto* wrong : {"", "h", "50m3h", "3h50", "5x", "1h1h", "-5s", "inf"})
        CHECK_THROWS_AS(parse_duration(wrong), InputError);
}

TEST_CASE("numbers for people keep three digits, or all whole ones") {
    CHECK(rounded_text(0.012345) == "0.0123");
    CHECK(rounded_text(4.567) == "4.57");
    CHECK(rounded_text(999.4) == "999");
    CHECK(rounded_text(1034.96) == "1035");
}

TEST_CASE("durations for people have one unit") {
    CHECK(duration_text(99.54) == "99.5 s");
    CHECK(duration_text(1020) == "17 min");
    CHECK(duration_text(3725856) == "1035 h");
}

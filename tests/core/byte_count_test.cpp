#include "core/byte_count.hpp"

#include <catch2/catch.hpp>

using namespace ventral::core;

TEST_CASE("numbers take their size, long texts what they hold beside") {
    CHECK(byte_count(Values(std::vector<float>(3))) == 12);
    CHECK(byte_count(Values(std::vector<double>(3))) == 24);
    CHECK(byte_count(Values(std::vector<std::string>{"a"})) == sizeof(std::string));
    const std::string text(100, 'x');
    CHECK(byte_count(Values(std::vector<std::string>{text})) >= sizeof(std::string) + 101);
}

TEST_CASE("a number takes the bytes of its type, however many there are") {
    CHECK(value_bytes(std::vector<float>(3)) == 4);
    CHECK(value_bytes(std::vector<double>()) == 8);
    CHECK(value_bytes(std::vector<std::int64_t>(2)) == 8);
}

TEST_CASE("an assembly takes its values and its labels") {
    Assembly assembly;
    assembly.dims = {{"presentation", 2}};
    assembly.values = std::vector<double>{1, 2};
    assembly.coordinates = {{"repetition", "presentation", std::vector<std::int64_t>{0, 1}}};
    CHECK(byte_count(assembly) == 32);
}

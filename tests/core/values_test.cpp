#include <limits>

#include <catch2/catch.hpp>

#include "core/assembly.hpp"
#include "core/errors.hpp"

using namespace ventral::core;

namespace {

const Values floats = std::vector<float>{0.1f, 2.0f};
const Values integers = std::vector<std::int64_t>{5, -5, 5};
const Values strings = std::vector<std::string>{"b", "a"};

}  // namespace

TEST_CASE("values know their type and number") {
    CHECK(type_name(floats) == "float32");
    CHECK(type_name(std::vector<double>{}) == "float64");
    CHECK(type_name(integers) == "int64");
    CHECK(type_name(strings) == "string");
    CHECK(value_count(integers) == 3);
}

TEST_CASE("entries become text: whole numbers as integers, others in their shortest form") {
    CHECK(text(floats, 0) == "0.1");
    CHECK(text(floats, 1) == "2");
    CHECK(text(std::vector<double>{1e6, 1.5e6, 1e300}, 0) == "1000000");
    CHECK(text(std::vector<float>{1e6F}, 0) == "1000000");
    CHECK(text(std::vector<double>{1e300}, 0) == "1e+300");
    CHECK(text(std::vector<float>{1e20F}, 0) == "1e+20");
    CHECK(text(std::vector<double>{-0.0}, 0) == "0");
    CHECK(text(integers, 1) == "-5");
    CHECK(text(strings, 1) == "a");
}

TEST_CASE("entries of one array are compared by value") {
    CHECK(less(integers, 1, 0));
    CHECK(equal(integers, 0, 2));
    CHECK_FALSE(equal(strings, 0, 1));
    const Values missing = std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 1.0};
    CHECK(equal(missing, 0, 0));
    CHECK(less(missing, 1, 0));
    CHECK_FALSE(less(missing, 0, 1));
}

TEST_CASE("positions may repeat and keep their order") {
    CHECK(std::get<std::vector<std::string>>(take(strings, {1, 0, 1})) ==
          std::vector<std::string>{"a", "b", "a"});
}

TEST_CASE("numbers of any type become float64, strings do not") {
    CHECK(as_float64(integers) == std::vector<double>{5, -5, 5});
    CHECK(as_float64(floats)[0] == static_cast<double>(0.1f));
    CHECK_THROWS_AS(as_float64(strings), InputError);
}

TEST_CASE("positions are sorted by the tuples of the keys, ties in storage order") {
    const Values name = std::vector<std::string>{"b", "a", "b", "a", "a"};
    const Values number = std::vector<std::int64_t>{1, 10, 1, 9, 10};
    // (a, 9) (a, 10) (a, 10) (b, 1) (b, 1)
    CHECK(sorted_positions({&name, &number}, 5) == std::vector<std::size_t>{3, 1, 4, 0, 2});
    CHECK(sorted_positions({}, 3) == std::vector<std::size_t>{0, 1, 2});
}

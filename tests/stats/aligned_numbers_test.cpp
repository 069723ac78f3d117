#include "stats/linear_algebra/aligned_numbers.hpp"

#include <cstdint>

#include <catch2/catch.hpp>

using namespace ventral::stats;

TEST_CASE("numbers begin with a cache line, and are zeros") {
    AlignedNumbers numbers(11);
    CHECK(numbers.size() == 11);
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64 == 0);
    for (const double number : numbers.span()) CHECK(number == 0);
    CHECK(whole_lines(numbers.size()) == 16);
}

TEST_CASE("what is taken from the front is no longer there") {
    AlignedNumbers numbers(5);
    auto rest = numbers.span();
    CHECK(take_front(rest, 2).data() == numbers.data());
    CHECK(rest.size() == 3);
    CHECK(rest.data() == numbers.data() + 2);
    CHECK(take_front(rest, 3).size() == 3);
    CHECK(rest.empty());
}

#include "stats/linear_algebra/least_squares.hpp"

#include <catch2/catch.hpp>

using namespace ventral::stats;

TEST_CASE("a singular value below the cutoff counts as zero") {
    Matrix a(3, 2);
    a << 2, 0, 0, 1e-3, 0, 0;
    Matrix b(3, 1);
    b << 4, 1, 7;
    auto all = a;
    auto solved = b;
    const auto kept = solve_cut(all, solved, 1e-9);
    REQUIRE(kept);
    CHECK(kept->rank == 2);
    CHECK(kept->singular(0) == Approx(2));
    CHECK(kept->singular(1) == Approx(1e-3));
    CHECK(solved(0, 0) == Approx(2));
    CHECK(solved(1, 0) == Approx(1000));
    const auto cut = solve_cut(a, b, 1e-2);
    REQUIRE(cut);
    CHECK(cut->rank == 1);
    CHECK(b(0, 0) == Approx(2));
    CHECK(b(1, 0) == Approx(0).margin(1e-12));
}

#include "stats/normalised_column.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral::stats;
using Column = std::vector<double>;

TEST_CASE("a column of a table is added up in turn, one that is alone pairwise") {
    CHECK(column_sum_of(1) == ColumnSum::pairwise);
    CHECK(column_sum_of(2) == ColumnSum::in_turn);
    Column harmonic;
    for (int i = 1; i <= 17; ++i) harmonic.push_back(1.0 / i);
    // np.sum(1 / np.arange(1, 18)), and functools.reduce(operator.add, …).
    CHECK(add_up(harmonic, ColumnSum::pairwise) == 3.439552522640758);
    CHECK(add_up(harmonic, ColumnSum::in_turn) == 3.4395525226407577);
}

TEST_CASE("a normalised column has mean zero and unit length") {
    const double root = std::sqrt(2.0);
    for (const auto order : {ColumnSum::in_turn, ColumnSum::pairwise}) {
        CHECK(normalised_column({1, 3}, order) == Column{-1 / root, 1 / root});
        const auto one = normalised_column({1, 2, 4, 9}, order);
        const auto other = normalised_column({-1, -2, -4, -9}, order);
        CHECK(normalised_product(one, one, order) == Approx(1).epsilon(1e-15));
        CHECK(normalised_product(one, other, order) == Approx(-1).epsilon(1e-15));
    }
}

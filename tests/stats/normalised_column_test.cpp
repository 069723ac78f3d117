#include "stats/regression/normalised_column.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral::stats;
using Column = std::vector<double>;

TEST_CASE("a column of a table is added up in turn, one that is alone pairwise") {
    CHECK(column_sum_of(1) == ColumnSum::pairwise);
    CHECK(column_sum_of(2) == ColumnSum::in_turn);
    Column harmonic;
    for (int i = 1; i <= 1000; ++i) harmonic.push_back(1.0 / i);
    // np.sum(1 / np.arange(1, 1001)), and functools.reduce(operator.add, …).
    CHECK(add_up(harmonic, ColumnSum::pairwise) == 7.485470860550345);
    CHECK(add_up(harmonic, ColumnSum::in_turn) == 7.485470860550343);
}

TEST_CASE("a normalised column has mean zero and unit length") {
    const double root = std::sqrt(2.0);
    for (const auto order : {ColumnSum::in_turn, ColumnSum::pairwise}) {
        CHECK(normalised_column({1, 3}, order) == Column{-1 / root, 1 / root});
        const auto one = normalised_column({1, 2, 4, 9}, order);
        const auto other = normalised_column({-1, -2, -4, -9}, order);
        CHECK(dot_as_numpy(one, one, order) == Approx(1).epsilon(1e-15));
        CHECK(dot_as_numpy(one, other, order) == Approx(-1).epsilon(1e-15));
    }
}

TEST_CASE("a constant has an exact mean or not as in NumPy") {
    // np.full((n, 1), c).mean(axis=0) == c, and the first column of np.full((n, 3), c).
    const auto exact = [](double value, std::size_t count) {
        return std::pair(has_exact_mean(value, count, ColumnSum::pairwise),
                         has_exact_mean(value, count, ColumnSum::in_turn));
    };
    CHECK(exact(0.1, 5) == std::pair(true, true));
    CHECK(exact(0.1, 6) == std::pair(false, false));
    CHECK(exact(0.1, 8) == std::pair(true, false));
    CHECK(exact(0.1, 13) == std::pair(false, true));
    CHECK(exact(0.3, 28) == std::pair(true, false));
    CHECK(exact(0.3, 30) == std::pair(false, true));
    CHECK(exact(0.7, 11) == std::pair(false, false));
    CHECK(exact(0.0, 11) == std::pair(true, true));
}

TEST_CASE("a constant becomes NaN, or equal numbers where its mean is not exact") {
    const auto undefined = normalised_column(Column(13, 0.1), ColumnSum::in_turn);
    for (const double value : undefined) CHECK(std::isnan(value));
    const auto equal = normalised_column(Column(13, 0.1), ColumnSum::pairwise);
    for (const double value : equal) CHECK(std::abs(value) == Approx(1 / std::sqrt(13)));
}

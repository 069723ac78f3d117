#include "stats/similarity/rdm.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/gram_problem.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::stats;
using test::random_matrix;
using test::rows_from;

namespace {

std::vector<double> triangle(const CorrelationDistances& distances, Eigen::Index rows) {
    core::Workers workers(2);
    return upper_triangle(distances, rows_from(0, rows), workers);
}

FeatureDistances from_features(const Problem& problem) {
    core::Workers workers(2);
    return feature_distances(problem, workers);
}

/// Of the features' own rows, in long double.
std::vector<double> exact_triangle(const Matrix& x) {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    Long z = x.cast<long double>();
    z = (z.colwise() - z.rowwise().mean()).eval();
    for (Eigen::Index i = 0; i < z.rows(); ++i) z.row(i) /= std::sqrt(z.row(i).squaredNorm());
    std::vector<double> distances;
    for (Eigen::Index i = 0; i < z.rows(); ++i)
        for (Eigen::Index j = i + 1; j < z.rows(); ++j)
            distances.push_back(static_cast<double>(1 - z.row(i).dot(z.row(j))));
    return distances;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// More than a slab of features, so that the Gram is the form of choice.
Matrix wide_features(std::uint64_t seed) { return random_matrix(12, 4100, seed); }

}  // namespace

TEST_CASE("distances worked out by hand") {
    // Centred rows (-1, 0, 1), (-1, 1, 0), (1, 0, -1): r = 1/2, -1, -1/2.
    Matrix x(3, 3);
    x << 1, 2, 3, 4, 6, 5, 9, 8, 7;
    const test::GramProblem problem(x, x);
    for (const auto& found :
         {from_features(problem.with_features()), from_features(problem.without_features())}) {
        const auto distances = triangle(found.distances, 3);
        REQUIRE(distances.size() == 3);
        CHECK(distances[0] == Approx(0.5).epsilon(1e-14));
        CHECK(distances[1] == Approx(2).epsilon(1e-14));
        CHECK(distances[2] == Approx(1.5).epsilon(1e-14));
    }
}

TEST_CASE("distances have NumPy's bits where there are few features") {
    // 1 - np.corrcoef of rows ((7 i + 5 j + i² j) mod 11) / 4, with OpenBLAS's FMA kernels.
    const Matrix x = test::formula_features(4, 5);
    const test::GramProblem problem(x, x);
    const auto found = from_features(problem.with_features());
    CHECK(found.form == DistanceForm::rows);
    CHECK(found.distances.guard() == 0);
    CHECK(triangle(found.distances, 4) ==
          std::vector<double>{0.5904305454890058, 0.4193071320946772, 1.72088001074752,
                              0.5906061962279683, 1.1362786180381372, 0.9002435517841735});
}

TEST_CASE("the Gram and its sums give the distances of the uncentred rows") {
    const Matrix x = wide_features(1).array() + 0.7;
    const test::GramProblem problem(x, x);
    const auto found = from_features(problem.with_features());
    CHECK(found.form == DistanceForm::gram);
    CHECK(found.distances.guard() < 1e-14);
    CHECK(largest_difference(triangle(found.distances, 12), exact_triangle(x)) < 1e-14);
}

TEST_CASE("few features of many rows give the distances of their Gram") {
    const Matrix x = random_matrix(60, 20, 41).array() + 0.7;
    const test::GramProblem problem(x, x);
    const Matrix centred = x.rowwise() - x.colwise().mean();
    const auto found =
        from_features({Kernel::of_features(test::view(centred)), x, 20, {}, problem.sums()});
    CHECK(found.form == DistanceForm::gram);
    CHECK(largest_difference(triangle(found.distances, 60), exact_triangle(x)) < 1e-13);
}

TEST_CASE("the form follows from rows and features") {
    const auto form = [](Eigen::Index rows, Eigen::Index features) {
        const test::GramProblem problem(random_matrix(rows, features, 2), Matrix::Zero(rows, 1));
        return from_features(problem.with_features()).form;
    };
    CHECK(form(10, 4096) == DistanceForm::rows);
    CHECK(form(10, 4097) == DistanceForm::gram);
    CHECK(form(513, 1024) == DistanceForm::rows);
    CHECK(form(513, 1025) == DistanceForm::gram);
}

TEST_CASE("features far from zero are taken from their rows if these are at hand") {
    // Multiples of 2^-10, so that the features themselves are exact.
    const Matrix near = (wide_features(3).array() * 1024).round() / 1024;
    const Matrix far = near.array() + 1e4;
    const test::GramProblem problem(far, far);
    const auto expected = exact_triangle(near);
    const auto found = from_features(problem.with_features());
    CHECK(found.form == DistanceForm::rows);
    CHECK(largest_difference(triangle(found.distances, 12), expected) < 1e-11);
    // Without them what is lost, about eps · 10⁸, is told.
    const auto lossy = from_features(problem.without_features());
    CHECK(lossy.form == DistanceForm::gram);
    CHECK(lossy.distances.guard() > rdm_guard_limit);
    CHECK(lossy.distances.guard() < 1e-6);
    CHECK(largest_difference(triangle(lossy.distances, 12), expected) <
          4 * lossy.distances.guard());
}

TEST_CASE("the guard bounds what rows of little variance lose") {
    Matrix x = wide_features(4);
    x.row(5) *= 1e-4;
    const test::GramProblem problem(x, x);
    const auto found = from_features(problem.without_features());
    CHECK(found.distances.guard() > 1e-9);
    CHECK(largest_difference(triangle(found.distances, 12), exact_triangle(x)) <
          2 * found.distances.guard());
}

TEST_CASE("a constant row has no distance in either form") {
    for (const Eigen::Index features : {30, 4100}) {
        Matrix x = random_matrix(12, features, 5);
        x.row(4).setConstant(0.5);
        const test::GramProblem problem(x, x);
        for (const auto& found :
             {from_features(problem.with_features()), from_features(problem.without_features())}) {
            CHECK(found.distances.guard() < 1e-13);
            for (Eigen::Index i = 0; i < 11; ++i)
                for (Eigen::Index j = i + 1; j < 12; ++j)
                    CHECK(std::isnan(found.distances(i, j)) == (i == 4 || j == 4));
        }
    }
}

TEST_CASE("a constant row whose mean is inexact has NumPy's distances where it has the features") {
    // 1 - np.corrcoef of [.1, .1, .1], [1, 2, 4], [3, 1, 2]: the rounding of the mean correlates.
    const Matrix x = (Matrix(3, 3) << 0.1, 0.1, 0.1, 1, 2, 4, 3, 1, 2).finished();
    const test::GramProblem problem(x, x);
    const auto found = from_features(problem.with_features());
    CHECK(found.form == DistanceForm::rows);
    CHECK(found.distances(0, 1) == Approx(1).epsilon(1e-15));
    CHECK(found.distances(0, 2) == Approx(1).epsilon(1e-15));
    const auto of_gram = from_features(problem.without_features());
    CHECK(of_gram.distances.guard() == std::numeric_limits<double>::infinity());
    CHECK(std::isnan(of_gram.distances(0, 1)));
}

TEST_CASE("equal rows are at distance 0 and as far from all others") {
    Matrix x = wide_features(6);
    x.row(9) = x.row(2);
    const test::GramProblem problem(x, x);
    for (const auto& found :
         {from_features(problem.with_features()), from_features(problem.without_features())}) {
        CHECK(std::abs(found.distances(2, 9)) < 1e-15);
        for (Eigen::Index j = 0; j < 12; ++j)
            if (j != 2 && j != 9)
                CHECK(std::abs(found.distances(2, j) - found.distances(9, j)) < 1e-15);
    }
}

TEST_CASE("recordings give the distances of their rows") {
    const Matrix y = random_matrix(12, 9, 7);
    core::Workers workers(2);
    const auto found = recording_distances(y, {}, workers);
    CHECK(largest_difference(triangle(found, 12), exact_triangle(y)) < 1e-14);
    Matrix missing = y;
    missing(3, 3) = std::numeric_limits<double>::quiet_NaN();
    const auto with_missing = recording_distances(missing, {}, workers);
    CHECK(std::isnan(with_missing(1, 3)));
    CHECK(!std::isnan(with_missing(1, 2)));
}

TEST_CASE("a triangle is of the rows asked for, in their order") {
    const Matrix x = wide_features(9);
    const test::GramProblem problem(x, x);
    const auto found = from_features(problem.with_features());
    core::Workers workers(1);
    const auto& d = found.distances;
    CHECK(upper_triangle(d, std::vector<Eigen::Index>{7, 1, 10}, workers) ==
          std::vector<double>{d(7, 1), d(7, 10), d(1, 10)});
    CHECK(upper_triangle(d, std::vector<Eigen::Index>{7}, workers).empty());
    CHECK(upper_triangle(d, {}, workers).empty());
}

TEST_CASE("neither features nor sums: refused; features alone are enough") {
    const Matrix x = wide_features(10);
    const test::GramProblem problem(x, x);
    Problem alone = problem.without_features();
    alone.sums = {};
    CHECK_THROWS_AS(from_features(alone), core::InputError);
    Problem no_sums = problem.with_features();
    no_sums.sums = {};
    CHECK(from_features(no_sums).form == DistanceForm::rows);
}

TEST_CASE("distances have the same bits on any number of workers and at any address") {
    const Matrix x = random_matrix(90, 4500, 11);
    const auto rows = rows_from(1, 88);
    core::Workers one(1);
    const test::GramProblem problem(x, x);
    const auto expected =
        upper_triangle(feature_distances(problem.with_features(), one).distances, rows, one);
    for (const std::size_t threads : {2U, 5U}) {
        core::Workers workers(threads);
        for (const std::size_t shift : {1U, 3U}) {
            const test::GramProblem moved(x, x, shift);
            const auto found = feature_distances(moved.with_features(), workers);
            CHECK(found.form == DistanceForm::gram);
            CHECK(test::same_bits(upper_triangle(found.distances, rows, workers), expected));
        }
    }
}

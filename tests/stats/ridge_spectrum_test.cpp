#include "stats/regression/ridge_spectrum.hpp"

#include <limits>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::same_bits;
using ventral::test::whole_of_band;

namespace {

Matrix centred(const Matrix& x) { return x.rowwise() - x.colwise().mean(); }

void check_spectrum(const RidgeSpectrum& spectrum, const Matrix& kernel) {
    const Matrix& q = spectrum.basis;
    CHECK(largest_difference(q.transpose() * q, Matrix::Identity(q.cols(), q.cols())) < 1e-13);
    CHECK(largest_difference(q * whole_of_band(spectrum.band) * q.transpose(), kernel) <
          1e-12 * kernel.cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("the whole form is the kernel and the constant vector") {
    Workers workers(2);
    // No reflector, the first ones, one panel, and several.
    for (const Eigen::Index rows : {2, 9, 10, 70, 300}) {
        const Matrix x = centred(random_matrix(rows, 400, 1));
        const Matrix kernel = x * x.transpose();
        const auto spectrum = spectrum_of_kernel(kernel, workers);
        CHECK(spectrum.form == RidgeSpectrum::Form::whole);
        CHECK(spectrum.constant == Approx(kernel.trace() / static_cast<double>(rows)));
        check_spectrum(spectrum, kernel.array() + spectrum.constant / static_cast<double>(rows));
    }
}

TEST_CASE("the thin form is the features' kernel") {
    const Matrix x = centred(random_matrix(50, 20, 1));
    const auto spectrum = spectrum_of_features(x);
    CHECK(spectrum.form == RidgeSpectrum::Form::thin);
    CHECK(spectrum.basis.cols() == 20);
    check_spectrum(spectrum, x * x.transpose());
}

TEST_CASE("solutions are those of a ridge with any alpha") {
    Workers workers(2);
    const Matrix b = random_matrix(90, 200, 2);  // several blocks of columns
    for (const Eigen::Index features : {20, 120}) {
        const Matrix x = centred(random_matrix(50, features, 1));
        const Matrix in_span = x * b.topRows(20).replicate(features / 20, 1);
        const Matrix kernel = x * x.transpose();
        const auto spectrum =
            features < 50 ? spectrum_of_features(x) : spectrum_of_kernel(kernel, workers);
        for (const double alpha : {0.01, 1.0, 1e6}) {
            Matrix system = kernel;
            system.diagonal().array() += alpha;
            const Matrix expected = system.llt().solve(in_span);
            CHECK(largest_difference(solve_in_span(spectrum, alpha, in_span, workers), expected) <
                  1e-11 * expected.cwiseAbs().maxCoeff());
        }
    }
}

TEST_CASE("the number of workers changes no bit of a spectrum, nor does where the kernel lies") {
    const Matrix x = centred(random_matrix(300, 400, 1));
    const Matrix kernel = x * x.transpose();
    Workers one(1);
    const auto expected = spectrum_of_kernel(kernel, one);
    const Matrix b = random_matrix(300, 200, 2);
    const Matrix solution = solve_in_span(expected, 3.0, b, one);
    std::vector<Matrix> moved;  // kept, so that later copies lie elsewhere
    for (const std::size_t threads : {1U, 2U, 5U}) {
        Workers workers(threads);
        moved.push_back(kernel);
        const auto spectrum = spectrum_of_kernel(moved.back(), workers);
        CHECK(same_bits(spectrum.basis, expected.basis));
        CHECK(same_bits(spectrum.band, expected.band));
        CHECK(same_bits(solve_in_span(spectrum, 3.0, b, workers), solution));
    }
}

TEST_CASE("a kernel that holds NaN is refused") {
    Workers workers(1);
    Matrix kernel = Matrix::Identity(5, 5);
    kernel(3, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(spectrum_of_kernel(kernel, workers));
}

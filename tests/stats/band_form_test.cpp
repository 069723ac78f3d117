#include "stats/linear_algebra/band_form.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::core::Workers;
using ventral::test::largest_difference;
using ventral::test::plain_gram;
using ventral::test::random_matrix;
using ventral::test::same_bits;
using ventral::test::whole_of_band;

namespace {

/// Of several panels and blocks.
constexpr Eigen::Index size = 700;

Matrix symmetric(Eigen::Index rows) {
    return plain_gram(random_matrix(rows, rows, 1)) / static_cast<double>(rows);
}

struct Found {
    Matrix reflectors;
    BandForm form;
};

Found found(Matrix a, std::size_t threads = 1) {
    Workers workers(threads);
    auto form = band_form(a, workers);
    return {std::move(a), std::move(form)};
}

/// Q B Qᵀ, reflector by reflector.
Matrix product(const Found& found) {
    const Eigen::Index n = found.reflectors.rows();
    Matrix result = whole_of_band(found.form.band);
    for (Eigen::Index i = found.form.scales.size(); i-- > 0;) {
        const Eigen::Index below = n - i - band_width - 1;
        Vector v = Vector::Zero(n);
        v(i + band_width) = 1;
        v.tail(below) = found.reflectors.col(i).tail(below);
        const Vector scaled = found.form.scales(i) * v;
        result -= scaled * (v.transpose() * result).eval();
        result -= (result * v).eval() * scaled.transpose();
    }
    return result;
}

}  // namespace

TEST_CASE("a band form worked out by hand") {
    // Of w + 2 rows one reflector changes the last two, which takes (3, 4) in column 0 to (-5, 0):
    // I - v vᵀ 8 / 5 with v = (1, 1/2). In its basis e1 = -(3, 4) / 5 and e2 = (-4, 3) / 5 their
    // square [2 1; 1 3] is [(2 9 + 2 12 + 3 16) / 25, (2 12 - 9 + 16 - 3 12) / 25; .,
    // (2 16 - 2 12 + 3 9) / 25].
    constexpr Eigen::Index w = band_width;
    Matrix a = Matrix::Zero(w + 2, w + 2);
    a.diagonal().setOnes();
    a.bottomLeftCorner(2, 1) << 3, 4;
    a.bottomRightCorner(2, 2) << 2, 1, 1, 3;
    const auto [reflectors, form] = found(a);
    CHECK(form.scales(0) == Approx(1.6).epsilon(1e-15));
    CHECK(reflectors(w + 1, 0) == Approx(0.5).epsilon(1e-15));
    CHECK(form.band(0, 0) == 1);
    CHECK(form.band(w, 0) == Approx(-5).epsilon(1e-15));
    CHECK(form.band(0, w) == Approx(90.0 / 25).epsilon(1e-14));
    CHECK(form.band(0, w + 1) == Approx(35.0 / 25).epsilon(1e-14));
    CHECK(form.band(1, w) == Approx(-5.0 / 25).epsilon(1e-14));
}

TEST_CASE("a matrix no wider than the band is a band form of itself") {
    for (const Eigen::Index rows : {Eigen::Index{1}, band_width, band_width + 1}) {
        const Matrix a = symmetric(rows);
        const auto [reflectors, form] = found(a);
        const Matrix whole = whole_of_band(form.band);
        CHECK(whole.triangularView<Eigen::Lower>().toDenseMatrix() ==
              a.triangularView<Eigen::Lower>().toDenseMatrix());
        CHECK(form.scales.isZero(0));
    }
}

TEST_CASE("the form and its reflectors give the matrix, of which the lower triangle is read") {
    std::vector<Eigen::Index> sizes(4 * band_width);  // the last columns of every number
    std::iota(sizes.begin(), sizes.end(), Eigen::Index{1});
    sizes.push_back(size);
    for (const Eigen::Index rows : sizes) {
        const Matrix a = symmetric(rows);
        Matrix lower = a;
        lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e300);
        // n eps of the largest entry, which is 1 here, with room.
        CHECK(largest_difference(product(found(lower)), a) < 1e-12);
    }
}

TEST_CASE("the form has the same bits on any number of workers") {
    const auto one = found(symmetric(size), 1);
    const auto four = found(symmetric(size), 4);
    CHECK(same_bits(one.form.band, four.form.band));
    CHECK(same_bits(one.form.scales, four.form.scales));
    CHECK(one.reflectors.triangularView<Eigen::StrictlyLower>().toDenseMatrix() ==
          four.reflectors.triangularView<Eigen::StrictlyLower>().toDenseMatrix());
}

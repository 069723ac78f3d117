#include "stats/similarity/cka.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/gram_problem.hpp"
#include "stats/same_bits.hpp"
#include "stats/small_problems.hpp"

using namespace ventral;
using namespace ventral::stats;
using test::formula_features;
using test::formula_targets;
using test::random_matrix;
using test::rows_from;
using test::view;
using Rows = std::vector<Eigen::Index>;

namespace {

double value(const Matrix& k, const Matrix& l, const Rows& rows, CkaForm form = CkaForm::unbiased,
             std::size_t threads = 1) {
    core::Workers workers(threads);
    return cka(view(k), view(l), rows, form, workers);
}

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// The reference's formula, on kernels of the features as they are, in long double.
long double plain_hsic(Long k, Long l) {
    const auto n = static_cast<long double>(k.rows());
    k.diagonal().setZero();
    l.diagonal().setZero();
    const long double sums = k.sum() * l.sum() / ((n - 1) * (n - 2));
    const long double rows = k.rowwise().sum().dot(l.rowwise().sum()) / (n - 2);
    return (k.cwiseProduct(l).sum() + sums - 2 * rows) / (n * (n - 3));
}

double plain_cka(const Matrix& x, const Matrix& y) {
    const Long wide_x = x.cast<long double>();
    const Long wide_y = y.cast<long double>();
    const Long k = wide_x * wide_x.transpose();
    const Long l = wide_y * wide_y.transpose();
    return static_cast<double>(plain_hsic(k, l) /
                               (std::sqrt(plain_hsic(k, k) * plain_hsic(l, l)) + 1e-12L));
}

}  // namespace

TEST_CASE("both forms are NumPy's of the reference's formulas") {
    // K = X @ X.T, L = Y @ Y.T of features as they are; all rows and some.
    const Matrix k = test::plain_gram(formula_features(12, 5));
    const Matrix l = test::plain_gram(formula_targets(12, 3));
    const Rows some = {1, 2, 4, 5, 7, 8, 11};
    CHECK(value(k, l, rows_from(0, 12)) == Approx(0.08467635464027433).epsilon(1e-12));
    CHECK(value(k, l, some) == Approx(0.616382082314369).epsilon(1e-12));
    CHECK(value(k, l, rows_from(0, 12), CkaForm::biased) ==
          Approx(0.3108767692618004).epsilon(1e-12));
    CHECK(value(k, l, some, CkaForm::biased) == Approx(0.7429955623866593).epsilon(1e-12));
}

TEST_CASE("unbiased values worked out by hand") {
    // Of four rows the U-centred entries 01 = 23, 02 = 13, 03 = 12 are in proportion 3 : -1 : -2
    // for x (off the diagonal 0, 0, 0, 3, 6, 18; t = (-4.5, 0, 6, 7.5)) and 1 : 1 : -2 for y (0, 2,
    // 1, 0, 0, 2; t = (4, -5, 7, 4) / 6): (3 - 1 + 4) / √(14 · 6).
    Matrix x(4, 1);
    x << 0, 1, 3, 6;
    Matrix y(4, 1);
    y << 1, 0, 2, 1;
    const Rows all = {0, 1, 2, 3};
    CHECK(value(test::plain_gram(x), test::plain_gram(y), all) ==
          Approx(6 / std::sqrt(84.0)).epsilon(1e-11));
    // Off the diagonal the products of (0, 1, 0, 0) are 0.
    Matrix single(4, 1);
    single << 0, 1, 0, 0;
    CHECK(value(test::plain_gram(x), test::plain_gram(single), all) == 0);
}

TEST_CASE("the offset of a kernel plays no part, and no digit is lost to it") {
    const Matrix x = random_matrix(40, 30, 1);
    const Matrix y = x.leftCols(6) + random_matrix(40, 6, 2);
    const Rows rows = rows_from(0, 30);
    for (const double offset : {0.0, 1.0, 1e4}) {
        // Exact in float64, so that only the kernel could lose anything.
        const Matrix far_x = ((x.array() * 1024).round() / 1024 + offset).matrix();
        const Matrix near_x = (far_x.array() - offset).matrix();
        const test::GramProblem problem(far_x, y);
        core::Workers workers(2);
        const Matrix l = target_kernel((y.array() + offset).matrix(), workers);
        for (const auto form : {CkaForm::unbiased, CkaForm::biased}) {
            const double near =
                value(test::centred_gram(near_x), test::centred_gram(y), rows, form);
            CHECK(cka(problem.kernel(), view(l), rows, form, workers) ==
                  Approx(near).margin(1e-11));
        }
        CHECK(cka(problem.kernel(), view(l), rows, CkaForm::unbiased, workers) ==
              Approx(plain_cka(near_x.topRows(30), y.topRows(30))).margin(1e-11));
    }
}

TEST_CASE("the order of rows changes nothing but rounding, scales nothing at all") {
    const Matrix k = test::centred_gram(random_matrix(20, 9, 3));
    const Matrix l = test::centred_gram(random_matrix(20, 4, 4));
    Rows rows = {2, 3, 5, 7, 11, 13, 17, 19};
    for (const auto form : {CkaForm::unbiased, CkaForm::biased}) {
        const double expected = value(k, l, rows, form);
        CHECK(value(k, l, {19, 2, 17, 3, 13, 5, 11, 7}, form) == Approx(expected).epsilon(1e-13));
        CHECK(value(k, 8 * l, rows, form) == Approx(expected).epsilon(1e-10));
        CHECK(value(k, k, rows, form) == Approx(1).epsilon(1e-10));
    }
}

TEST_CASE("kernels that do not vary give 0 unbiased and NaN biased") {
    const Matrix k = test::centred_gram(random_matrix(6, 3, 5));
    const Matrix zero = Matrix::Zero(6, 6);
    CHECK(value(k, zero, rows_from(0, 6)) == 0);
    CHECK(std::isnan(value(k, zero, rows_from(0, 6), CkaForm::biased)));
}

TEST_CASE("a single stimulus that has features is like no other") {
    Matrix x = Matrix::Zero(20, 8);
    x.row(3) = random_matrix(1, 8, 1);
    x.rowwise() -= x.colwise().mean().eval();
    const Matrix single = x * x.transpose();
    const Matrix other = test::plain_gram(random_matrix(20, 5, 2));
    CHECK(value(single, other, rows_from(0, 20)) == 0);
    CHECK(value(other, single, rows_from(0, 20)) == 0);
}

TEST_CASE("fewer than four rows have no unbiased value") {
    const Matrix k = test::centred_gram(random_matrix(6, 3, 6));
    CHECK_THROWS_AS(value(k, k, {0, 1, 2}), core::InputError);
    CHECK_THROWS_WITH(value(k, k, {0, 1, 2}), Catch::Matchers::Contains("at least 4"));
    CHECK(value(k, k, {0, 1, 2}, CkaForm::biased) == Approx(1));
}

TEST_CASE("kernels whose squares overflow are no measure of anything") {
    const auto all = rows_from(0, 6);
    const Matrix x = random_matrix(6, 5, 1);
    const Matrix k = 1e160 * (x * x.transpose());
    const Matrix y = random_matrix(6, 5, 2);
    for (const auto form : {CkaForm::unbiased, CkaForm::biased}) {
        CHECK(std::isnan(value(k, y * y.transpose(), all, form)));
        CHECK(std::isnan(value(y * y.transpose(), k, all, form)));
    }
}

TEST_CASE("a recording that is not finite makes the rows with it NaN, and no others") {
    Matrix y = random_matrix(8, 3, 7);
    y(2, 1) = std::numeric_limits<double>::quiet_NaN();
    y(6, 0) = -std::numeric_limits<double>::infinity();
    core::Workers workers(2);
    const Matrix l = target_kernel(y, workers);
    const Matrix k = test::centred_gram(random_matrix(8, 5, 8));
    CHECK(std::isnan(value(k, l, rows_from(0, 8))));
    CHECK(std::isnan(value(k, l, {0, 1, 3, 6}, CkaForm::biased)));
    const Rows finite = {0, 1, 3, 4, 5, 7};
    CHECK(value(k, l, finite) ==
          Approx(value(rows_of(rows_of(k, finite).transpose(), finite),
                       test::plain_gram(rows_of(y, finite)), rows_from(0, 6)))
              .epsilon(1e-10));
}

TEST_CASE("targets serve as their kernel does") {
    const Matrix k = test::centred_gram(random_matrix(90, 50, 11));
    const Matrix y = (random_matrix(90, 4, 12).array() + 100).matrix();
    core::Workers workers(2);
    const Rows rows = rows_from(5, 80);
    for (const auto form : {CkaForm::unbiased, CkaForm::biased}) {
        const double expected = cka(view(k), view(target_kernel(y, workers)), rows, form, workers);
        CHECK(cka_with_targets(view(k), y, rows, form, workers) == Approx(expected).epsilon(1e-11));
    }
    CHECK(cka_prefers_targets(y));
    CHECK_FALSE(cka_prefers_targets(random_matrix(4, 5, 13)));
    Matrix undefined = y;
    undefined(7, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(cka_with_targets(view(k), undefined, rows, CkaForm::unbiased, workers)));
    CHECK(cka_with_targets(view(k), undefined, rows_from(8, 30), CkaForm::unbiased, workers) ==
          cka_with_targets(view(k), y, rows_from(8, 30), CkaForm::unbiased, workers));
}

TEST_CASE("values have the same bits on any number of workers and at any address") {
    const Matrix x = random_matrix(150, 40, 9);
    const Matrix y = random_matrix(150, 7, 10);
    const Rows rows = rows_from(3, 140);
    core::Workers one(1);
    const Matrix l = target_kernel(y, one);
    for (const auto form : {CkaForm::unbiased, CkaForm::biased}) {
        const double expected = cka(test::GramProblem(x, y).kernel(), view(l), rows, form, one);
        for (const std::size_t threads : {2U, 5U}) {
            core::Workers workers(threads);
            CHECK(test::same_bits(target_kernel(y, workers), l));
            for (const std::size_t shift : {0U, 1U, 3U}) {
                const test::GramProblem moved(x, y, shift);
                CHECK(cka(moved.kernel(), view(l), rows, form, workers) == expected);
                CHECK(cka_with_targets(moved.kernel(), y, rows, form, workers) ==
                      cka_with_targets(moved.kernel(), y, rows, form, one));
            }
        }
    }
}

TEST_CASE("few features themselves have the value of their kernel") {
    const Matrix x = random_matrix(60, 9, 31);
    const Matrix kernel = test::centred_gram(x);
    const Matrix y = x.leftCols(3) * random_matrix(3, 7, 32) + random_matrix(60, 7, 33);
    const Matrix l = test::plain_gram(y);
    const Kernel narrow = Kernel::of_features(view(x));
    core::Workers workers(2);
    for (const auto form : {CkaForm::unbiased, CkaForm::biased})
        for (const auto& rows : {rows_from(0, 60), rows_from(11, 50)}) {
            const double expected = cka(view(kernel), view(l), rows, form, workers);
            CHECK(cka(narrow, view(l), rows, form, workers) == Approx(expected).epsilon(1e-11));
            CHECK(cka_with_targets(narrow, y, rows, form, workers) ==
                  Approx(expected).epsilon(1e-11));
        }
}

TEST_CASE("few features keep their digits whatever one stimulus has") {
    const Matrix usual = random_matrix(60, 9, 34);
    Matrix y = usual.leftCols(3) * random_matrix(3, 7, 35) + random_matrix(60, 7, 36);
    core::Workers workers(1);
    for (const double size : {1.0, 1e2, 1e4, 1e6}) {
        INFO("one stimulus is " << size << " times the others");
        Matrix x = usual;
        x.row(17) *= size;
        y.row(17) *= size;
        CHECK(cka_with_targets(Kernel::of_features(view(x)), y, rows_from(0, 60), CkaForm::unbiased,
                               workers) == Approx(plain_cka(x, y)).margin(1e-10));
        y.row(17) /= size;
    }
    // Alone it is like no other.
    Matrix single = Matrix::Zero(60, 9);
    single.row(3) = usual.row(3);
    const Kernel of_single = Kernel::of_features(view(single));
    CHECK(cka_with_targets(of_single, y, rows_from(0, 60), CkaForm::unbiased, workers) == 0);
    const Matrix constant = Matrix::Constant(60, 2, 12345.678);  // its mean is another number
    const Kernel of_constant = Kernel::of_features(view(constant));
    const Kernel of_usual = Kernel::of_features(view(usual));
    CHECK(cka_with_targets(of_constant, y, rows_from(0, 60), CkaForm::unbiased, workers) == 0);
    CHECK(cka_with_targets(of_usual, constant, rows_from(0, 60), CkaForm::unbiased, workers) == 0);
    CHECK(std::isnan(
        cka_with_targets(of_usual, constant, rows_from(0, 60), CkaForm::biased, workers)));
    CHECK(std::isnan(cka_with_targets(of_constant, y, rows_from(0, 60), CkaForm::biased, workers)));
    const Matrix huge = 1e160 * usual;
    CHECK(std::isnan(cka_with_targets(Kernel::of_features(view(huge)), y, rows_from(0, 60),
                                      CkaForm::unbiased, workers)));
    y(5, 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(cka_with_targets(of_usual, y, rows_from(0, 60), CkaForm::unbiased, workers)));
}

TEST_CASE("few features lose no digit to the offset of the targets") {
    const Matrix x = random_matrix(60, 9, 39);
    core::Workers workers(1);
    const auto of = [&](const Matrix& y) {
        return cka_with_targets(Kernel::of_features(view(x)), y, rows_from(0, 60),
                                CkaForm::unbiased, workers);
    };
    // Exact in float64 with the offset, so that only the means could lose anything.
    const Matrix y = (x.leftCols(3) * random_matrix(3, 7, 40) * 64).array().round().matrix();
    for (const double offset : {1e6, 1e9, 1e12})
        CHECK(of((y.array() + offset).matrix()) == Approx(of(y)).margin(1e-13));
}

TEST_CASE("few features have the same bits on any number of workers") {
    const Matrix x = random_matrix(500, 90, 37);
    const Matrix y = random_matrix(500, 150, 38);
    const auto of = [&](std::size_t threads, CkaForm form) {
        core::Workers workers(threads);
        return cka_with_targets(Kernel::of_features(view(x)), y, rows_from(3, 480), form, workers);
    };
    for (const auto form : {CkaForm::unbiased, CkaForm::biased})
        for (const std::size_t threads : {2U, 5U}) CHECK(of(threads, form) == of(1, form));
    CHECK(cka_prefers_factors(241, 90, 150));
    CHECK_FALSE(cka_prefers_factors(240, 90, 150));
}

#include "stats/pls/pls_cross_products.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "stats/small_problems.hpp"

using namespace ventral::stats;
using ventral::test::largest_difference;
using ventral::test::random_matrix;
using ventral::test::rows_from;

namespace {

Matrix centred(Matrix matrix) {
    matrix.rowwise() -= matrix.colwise().mean().eval();
    return matrix;
}

/// matrix minus its projection on t.
Matrix without(const Matrix& matrix, const Vector& t) {
    return matrix - t * (t.transpose() * matrix) / t.squaredNorm();
}

}  // namespace

TEST_CASE("cross products are those of the deflated features and targets, in both forms") {
    // 5 targets are fewer than the 6 features and the 20 rows, 8 and 30 are more.
    for (const Eigen::Index count : {5, 8, 30}) {
        INFO(count << " targets");
        Matrix x = centred(random_matrix(20, 6, 1));
        const Matrix targets = random_matrix(20, count, 2);
        Matrix y = centred(targets);
        const FoldRows fold = {rows_from(0, 20), {}};
        const auto products = make_cross_products(x.cols(), targets, fold);
        Matrix loadings(count, 3);
        for (Eigen::Index k = 0; k < 3; ++k) {
            const Vector start = products->start(x).value();
            CHECK(largest_difference(start, x.transpose() * y.col(0) / y.col(0).squaredNorm()) <
                  1e-13);
            const Matrix c = x.transpose() * y;
            const Matrix& found = products->matrix();
            CHECK(found.cols() == std::min<Eigen::Index>(count, 6));
            CHECK(largest_difference(found * found.transpose(), c * c.transpose()) < 1e-12);

            const Vector w = start.normalized();
            const Vector t = x * w;
            const Vector p = x.transpose() * t / t.squaredNorm();
            loadings.col(k) = y.transpose() * t / t.squaredNorm();
            x = without(x, t);
            y = without(y, t);
            products->take_out(w, t, p);
        }
        CHECK(largest_difference(products->loadings(), loadings) < 1e-13);
    }
}

TEST_CASE("targets that are used up have no start") {
    const Matrix x = centred(random_matrix(6, 3, 3));
    const FoldRows fold = {rows_from(0, 6), {}};
    for (const double value : {0.1, 98765.4321}) {  // the mean of the second is another number
        const Matrix constant = Matrix::Constant(6, 9, value);
        CHECK_FALSE(make_cross_products(3, constant, fold)->start(x));
        CHECK_FALSE(make_cross_products(3, constant.leftCols(2).eval(), fold)->start(x));
    }
}

TEST_CASE("targets that the reference takes for zero are none, from the component on") {
    // Constant; as small as rounding; used up by the first component; in two parts of which the
    // second is below 10 eps. The others are usual.
    const Matrix x = centred(random_matrix(40, 3, 6));
    Matrix targets = random_matrix(40, 12, 7);
    const FoldRows fold = {rows_from(0, 40), {}};
    const Vector w = (x.transpose() * centred(targets).col(0)).normalized();
    targets.col(3).setConstant(0.1);
    targets.col(4) *= 1e-16;
    targets.col(5) = x * w;
    targets.col(6) = x * w + 1e-15 * targets.col(7);
    const auto products = make_cross_products(3, targets, fold);
    REQUIRE(largest_difference(products->start(x).value().normalized(), w) < 1e-13);
    Matrix alive = centred(targets);
    alive.middleCols(3, 2).setZero();
    const auto equal = [&](const Matrix& deflated) {
        const Matrix c = deflated.transpose() * alive;
        const Matrix& found = products->matrix();
        return largest_difference(found * found.transpose(), c * c.transpose()) < 1e-12;
    };
    CHECK(equal(x));
    const Vector t = x * w;
    products->take_out(w, t, x.transpose() * t / t.squaredNorm());
    const Matrix left = without(x, t);
    alive = without(alive, t);
    alive.middleCols(5, 2).setZero();
    REQUIRE(products->start(left));
    CHECK(equal(left));
    const Vector second = products->matrix().col(0).normalized();
    const Vector t2 = left * second;
    products->take_out(second, t2, left.transpose() * t2 / t2.squaredNorm());
    const Matrix loadings = products->loadings();
    CHECK(loadings.middleRows(3, 2) == Matrix::Zero(2, 2));
    CHECK(std::abs(loadings(5, 0) - 1) < 1e-13);
    CHECK(std::abs(loadings(6, 0) - 1) < 1e-13);
    CHECK(loadings.block(5, 1, 2, 1) == Matrix::Zero(2, 1));
    CHECK(std::abs(loadings(7, 1)) > 1e-3);
}

TEST_CASE("what little is left after a component keeps its digits") {
    // The first of two features is 1e5 times the other, and so are the targets' parts.
    Matrix x = centred(random_matrix(20, 2, 4));
    x.col(0) *= 1e5;
    const Matrix targets = x * random_matrix(2, 30, 5);
    const Matrix y = centred(targets);
    const FoldRows fold = {rows_from(0, 20), {}};
    const auto products = make_cross_products(x.cols(), targets, fold);
    const Vector w = products->start(x).value().normalized();
    const Vector t = x * w;
    const Vector p = x.transpose() * t / t.squaredNorm();
    products->take_out(w, t, p);
    const Matrix left = without(x, t);
    REQUIRE(products->start(left));
    const Matrix c = left.transpose() * without(y, t);
    const Matrix& found = products->matrix();
    CHECK(largest_difference(found * found.transpose(), c * c.transpose()) <
          1e-9 * (c * c.transpose()).cwiseAbs().maxCoeff());
}

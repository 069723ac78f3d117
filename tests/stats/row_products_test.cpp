#include "stats/linear_algebra/row_products.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "stats/linear_algebra/blas_kernels.hpp"
#include "stats/linear_algebra/pairwise_sum.hpp"
#include "stats/same_bits.hpp"
#include "stats/stored_features.hpp"

using namespace ventral;
using namespace ventral::stats;
using test::RowMajorMatrix;

namespace {

RowProducts products_of(const RowMajorMatrix& x, std::size_t threads = 1) {
    core::Workers workers(threads);
    return centred_row_products(static_cast<std::size_t>(x.rows()),
                                static_cast<std::size_t>(x.cols()), test::slabs_of(x), workers);
}

/// One chain of fused multiply-adds each, of rows minus NumPy's means; for one slab.
Matrix chains(const RowMajorMatrix& x) {
    RowMajorMatrix z = x;
    const auto p = static_cast<std::size_t>(x.cols());
    for (Eigen::Index i = 0; i < x.rows(); ++i)
        z.row(i).array() -= pairwise_sum({&x(i, 0), p}) / static_cast<double>(p);
    return Matrix::NullaryExpr(x.rows(), x.rows(), [&](Eigen::Index i, Eigen::Index j) {
        double s = 0;
        for (Eigen::Index k = 0; k < x.cols(); ++k) s = std::fma(z(i, k), z(j, k), s);
        return s;
    });
}

}  // namespace

TEST_CASE("products of centred rows worked out by hand") {
    // Means 2 and 5: (-1, 0, 1) and (-3, -1, 4).
    RowMajorMatrix x(2, 3);
    x << 1, 2, 3, 2, 4, 9;
    Matrix expected(2, 2);
    expected << 2, 7, 7, 26;
    CHECK(products_of(x).products == expected);
}

TEST_CASE("every product is one chain over the features, whatever the rows beside it") {
    for (const auto& [rows, columns] :
         {std::pair<Eigen::Index, Eigen::Index>{1, 1}, {3, 7}, {8, 300}, {70, 33}, {131, 600}}) {
        const RowMajorMatrix x = test::random_matrix(rows, columns, 1);
        CHECK(test::same_bits(products_of(x).products, chains(x)));
    }
}

TEST_CASE("the chains go on from slab to slab") {
    const RowMajorMatrix x = test::random_matrix(11, 9000, 2);
    const Matrix centred = x.colwise() - x.rowwise().mean();
    const Matrix found = products_of(x).products;
    CHECK(test::largest_difference(found, centred * centred.transpose()) < 1e-10);
    CHECK(found == found.transpose());
    CHECK(products_of(x.leftCols(4096)).products == chains(x.leftCols(4096)));
}

TEST_CASE("rows that are equal have equal products") {
    RowMajorMatrix x = test::random_matrix(75, 111, 3);
    x.row(70) = x.row(4);
    const Matrix found = products_of(x).products;
    for (Eigen::Index j = 0; j < 75; ++j) CHECK(found(70, j) == found(4, j));
    CHECK(found(4, 4) == found(4, 70));
}

TEST_CASE("constant rows are told, and NaN stays in its row") {
    RowMajorMatrix x = test::random_matrix(12, 5000, 4);
    x.row(3).setConstant(0.5);
    x.row(5).setConstant(7);
    x(5, 4999) = 8;
    x(9, 1) = std::numeric_limits<double>::quiet_NaN();
    const auto found = products_of(x);
    for (std::size_t i = 0; i < 12; ++i) CHECK((found.constant[i] == 1) == (i == 3));
    for (Eigen::Index i = 0; i < 12; ++i)
        for (Eigen::Index j = 0; j < 12; ++j)
            CHECK(std::isnan(found.products(i, j)) == (i == 9 || j == 9));
}

TEST_CASE("single precision is taken for the same numbers in double") {
    const RowMajorMatrix x = test::random_matrix(9, 50, 5).cast<float>().cast<double>();
    const std::vector<float> floats(x.data(), x.data() + x.size());
    const FeatureMatrix stored{std::span<const float>(floats), 9, 50, 50};
    core::Workers workers(2);
    const auto read = [&](std::size_t first, std::size_t count) {
        return columns_of(stored, first, count);
    };
    CHECK(test::same_bits(centred_row_products(9, 50, read, workers).products,
                          products_of(x).products));
}

TEST_CASE("the number of workers and the address change no bit") {
    const RowMajorMatrix x = test::random_matrix(150, 4500, 6);
    const Matrix expected = products_of(x).products;
    for (const std::size_t threads : {2U, 5U})
        CHECK(test::same_bits(products_of(x, threads).products, expected));
    std::vector<double> moved(static_cast<std::size_t>(x.size()) + 1);
    std::copy(x.data(), x.data() + x.size(), moved.begin() + 1);
    const FeatureMatrix stored{std::span<const double>(moved).subspan(1), 150, 4500, 4500};
    core::Workers workers(2);
    const auto read = [&](std::size_t first, std::size_t count) {
        return columns_of(stored, first, count);
    };
    CHECK(test::same_bits(centred_row_products(150, 4500, read, workers).products, expected));
}

TEST_CASE("few rows are multiplied as NumPy does, in the order that they were given in") {
    const RowMajorMatrix x = test::random_matrix(26, 24, 7);
    const auto numpy = [&](const RowMajorMatrix& rows, std::span<const Eigen::Index> order) {
        return numpy_row_products(26, 24, test::slabs_of(rows), order);
    };
    const Matrix chained = products_of(x).products;
    const Matrix found = numpy(x, {}).products;
    CHECK(test::largest_difference(found, chained) < 1e-14);
    CHECK(found == found.transpose());
    // Rows given in another order and put back give the products of that order, bit by bit.
    std::vector<Eigen::Index> order;
    for (Eigen::Index i = 0; i < 26; ++i) order.push_back((7 * i + 3) % 26);
    RowMajorMatrix given(26, 24);
    for (Eigen::Index i = 0; i < 26; ++i) given.row(i) = x.row(order[static_cast<std::size_t>(i)]);
    const Matrix of_given = numpy(given, {}).products;
    const Matrix put_back = numpy(x, order).products;
    for (Eigen::Index i = 0; i < 26; ++i)
        for (Eigen::Index j = 0; j < 26; ++j)
            CHECK(put_back(order[static_cast<std::size_t>(i)],
                           order[static_cast<std::size_t>(j)]) == of_given(i, j));
    // The kernels for AVX2 make the chains.
    if (blas_core() == "Haswell" || blas_core() == "Zen") CHECK(found == chained);
}

TEST_CASE("NumPy's way knows constant rows and NaN too, and its limits") {
    RowMajorMatrix x = test::random_matrix(12, 40, 8);
    x.row(3).setConstant(0.5);
    x(9, 1) = std::numeric_limits<double>::quiet_NaN();
    const auto found = numpy_row_products(12, 40, test::slabs_of(x), {});
    for (std::size_t i = 0; i < 12; ++i) CHECK((found.constant[i] == 1) == (i == 3));
    for (Eigen::Index i = 0; i < 12; ++i)
        for (Eigen::Index j = 0; j < 12; ++j)
            CHECK(std::isnan(found.products(i, j)) == (i == 9 || j == 9));
    CHECK(small_enough_for_numpy(512, 4096));
    CHECK(!small_enough_for_numpy(513, 4096));
    CHECK(!small_enough_for_numpy(512, 4097));
}

#include "stats/gram/layer_pca.hpp"

#include <cmath>
#include <limits>

#include <Eigen/SVD>
#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stats/gram/gram_block.hpp"
#include "stats/same_bits.hpp"
#include "stats/stored_features.hpp"

using namespace ventral::stats;
using ventral::core::InputError;
using ventral::core::Workers;
using ventral::test::RowMajorMatrix;
using ventral::test::same_bits;
using ventral::test::slabs_of;

namespace {

StreamedFeatures features_of(const RowMajorMatrix& x) {
    return {static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols()), slabs_of(x)};
}

LayerPca fit(const RowMajorMatrix& images, std::size_t components) {
    const auto set = features_of(images);
    const GramBlock block(set.rows, set.features);
    Workers workers(1);
    build_gram(set, block.memory(), workers, {});
    return fit_layer_pca(MatrixView(block.memory().kernel.data(), images.rows(), images.rows()),
                         components);
}

Matrix project(const RowMajorMatrix& images, const RowMajorMatrix& projected,
               std::size_t components, std::size_t threads = 1) {
    Workers workers(threads);
    return project_on_components(fit(images, components), features_of(images),
                                 features_of(projected), workers);
}

/// Features of uneven scale, so that no two components are alike.
RowMajorMatrix uneven(Eigen::Index rows, Eigen::Index columns) {
    RowMajorMatrix x(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < columns; ++j)
            x(i, j) = 3 + std::sin(1.0 + double(i * i) * 1.7 + double(j) * (0.31 + double(i)));
    return x;
}

}  // namespace

TEST_CASE("the one component of images that differ in one feature is that feature") {
    // Centred: 3, −1, −2. u = (3, −1, −2)/√14 has its largest entry positive, so v = Xᵀu/√14 = 1;
    // the mean is 1, and 5 lies at 5 − 1.
    RowMajorMatrix images(3, 2);
    images << 4, 1, 0, 1, -1, 1;
    RowMajorMatrix projected(1, 2);
    projected << 5, 7;
    CHECK(project(images, projected, 1)(0, 0) == Approx(4));
    // Mirrored the largest entry belongs to the image at −2: v = −1.
    images << -2, 1, 2, 1, 3, 1;
    CHECK(project(images, projected, 1)(0, 0) == Approx(-4));
}

TEST_CASE("components without variance are zero, and there are no more than images") {
    RowMajorMatrix images(3, 2);
    images << 4, 1, 0, 1, -1, 1;
    const auto pca = fit(images, 16);
    CHECK(pca.directions.cols() == 3);
    CHECK(pca.directions.col(0).norm() > 0);
    CHECK(pca.directions.rightCols(2).isZero(0));
    CHECK(project(images, images, 16).rightCols(2).isZero(0));
}

TEST_CASE("the projection is that of an SVD of the features, wider than a slab") {
    const RowMajorMatrix images = uneven(9, 5000);
    const RowMajorMatrix projected = uneven(140, 5000);
    const Eigen::RowVectorXd mean = images.colwise().mean();
    const Matrix centred = images.rowwise() - mean;
    const Eigen::JacobiSVD<Matrix> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Matrix found = project(images, projected, 8);
    REQUIRE(found.cols() == 8);
    for (Eigen::Index k = 0; k < 8; ++k) {
        Eigen::Index largest = 0;
        svd.matrixU().col(k).cwiseAbs().maxCoeff(&largest);
        const double sign = svd.matrixU()(largest, k) < 0 ? -1 : 1;
        const Vector expected = sign * ((projected.rowwise() - mean) * svd.matrixV().col(k));
        CHECK((found.col(k) - expected).norm() <= 1e-10 * expected.norm());
    }
}

TEST_CASE("the bits of a projection do not depend on the number of workers") {
    const RowMajorMatrix images = uneven(9, 5000);
    const RowMajorMatrix projected = uneven(300, 5000);
    CHECK(same_bits(project(images, projected, 8, 1), project(images, projected, 8, 3)));
}

TEST_CASE("layers with no more features than components pass through") {
    CHECK(passes_through_pca(16, 16));
    CHECK_FALSE(passes_through_pca(17, 16));
}

TEST_CASE("more images than LAPACK finds eigenvectors of are refused") {
    constexpr Eigen::Index images = 32'001;
    const double never_read = 0;
    const Eigen::Map<const Matrix> kernel(&never_read, images, images);
    CHECK_THROWS_WITH(fit_layer_pca(kernel, 3), Catch::Contains("32000 images, not"));
}

TEST_CASE("images that say nothing and features that are no numbers are refused") {
    RowMajorMatrix images(3, 2);
    images << 1, 2, 1, 2, 1, 2;
    CHECK_THROWS_WITH(fit(images, 1), Catch::Contains("do not vary"));
    CHECK_THROWS_WITH(fit(images.topRows(1), 1), Catch::Contains("two images"));
    images << 4, 1, 0, 1, -1, 1;
    RowMajorMatrix odd(1, 2);
    odd << std::numeric_limits<double>::quiet_NaN(), 1;
    CHECK_THROWS_AS(project(images, odd, 1), InputError);
}

#include "stats/gram/layer_pca.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <cblas.h>
#include <lapacke.h>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/linear_algebra/eps.hpp"
#include "stats/linear_algebra/lapack_workspace.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

namespace ventral::stats {
namespace {

constexpr std::size_t row_block = 128;  // projected rows of one task

struct Eigenpairs {
    Vector values;  ///< rising
    Matrix vectors;
};

Eigenpairs eigenpairs(const Eigen::Ref<const Matrix>& kernel) {
    Eigenpairs pairs{Vector(kernel.rows()), kernel};
    const int n = blas_size(kernel.rows());
    const int failed = with_workspace(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n,
                                                     pairs.vectors.data(), n, pairs.values.data()));
    if (failed != 0)
        throw core::InputError(
            "the images for the PCA have no principal components (their "
            "features are NaN or infinite)");
    return pairs;
}

double largest_entry(const Eigen::Ref<const Vector>& vector) {
    Eigen::Index place = 0;
    for (Eigen::Index i = 1; i < vector.size(); ++i)
        if (std::abs(vector[i]) > std::abs(vector[place])) place = i;
    return vector[place];
}

/// A slab of the fitting images, centred, and the means that were taken away.
class CentredImages {
public:
    CentredImages(const StreamedFeatures& images, core::Workers& workers)
        : images_(images), workers_(workers) {}

    void read(std::size_t first, std::size_t count) {
        const auto slab = images_.read(first, count);
        // Rows a power of two apart would compete for the same lines of the cache.
        stride_ = count + 8;
        values_.resize(images_.rows * stride_);
        means_.resize(count);
        workers_.parallel_for(centred_blocks(count), [&](std::size_t block) {
            centre_block(slab, block, {values_, stride_, means_});
        });
    }

    const double* values() const { return values_.data(); }
    std::size_t stride() const { return stride_; }
    const std::vector<double>& means() const { return means_; }

private:
    const StreamedFeatures& images_;
    core::Workers& workers_;
    std::vector<double> values_;
    std::size_t stride_ = 0;
    std::vector<double> means_;
};

/// Rows [first, first + count) of the slab minus `means`, row by row.
std::vector<double> rows_minus_means(const FeatureMatrix& slab, std::size_t first,
                                     std::size_t count, const std::vector<double>& means) {
    std::vector<double> rows(count * means.size());
    std::visit(
        [&](const auto& values) {
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < means.size(); ++j)
                    rows[i * means.size() + j] =
                        static_cast<double>(values[(first + i) * slab.stride + j]) - means[j];
        },
        slab.values);
    return rows;
}

/// Adds rows · imagesᵀ of one slab to the rows of `products` from `first` on.
void add_products(const std::vector<double>& rows, std::size_t first, const CentredImages& images,
                  Matrix& products) {
    const auto width = blas_size(static_cast<Eigen::Index>(images.means().size()));
    const auto count = blas_size(static_cast<Eigen::Index>(rows.size() / images.means().size()));
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, count, blas_size(products.cols()), width,
                1.0, rows.data(), width, images.values(),
                blas_size(static_cast<Eigen::Index>(images.stride())), 1.0, products.data() + first,
                blas_size(products.rows()));
}

/// (T − μ) Xcᵀ: projected rows × images.
Matrix cross_products(const StreamedFeatures& fitted, const StreamedFeatures& projected,
                      core::Workers& workers) {
    Matrix products = Matrix::Zero(static_cast<Eigen::Index>(projected.rows),
                                   static_cast<Eigen::Index>(fitted.rows));
    CentredImages images(fitted, workers);
    for (std::size_t first = 0; first < fitted.features; first += slab_features) {
        const std::size_t count = std::min(slab_features, fitted.features - first);
        images.read(first, count);
        const auto slab = projected.read(first, count);
        workers.parallel_for(core::ceil_divide(projected.rows, row_block), [&](std::size_t block) {
            const std::size_t row = block * row_block;
            const std::size_t rows = std::min(row_block, projected.rows - row);
            add_products(rows_minus_means(slab, row, rows, images.means()), row, images, products);
        });
    }
    return products;
}

}  // namespace

LayerPca fit_layer_pca(const Eigen::Ref<const Matrix>& kernel, std::size_t components) {
    const Eigen::Index images = kernel.rows();
    if (images < 2)
        throw core::InputError("a PCA needs two images at least, not " + std::to_string(images));
    if (images > static_cast<Eigen::Index>(most_pca_images))
        throw core::InputError("a PCA can be fitted on " + std::to_string(most_pca_images) +
                               " images, not on " + std::to_string(images));
    auto pairs = eigenpairs(kernel);
    const double largest = pairs.values[images - 1];
    if (!(largest > 0))
        throw core::InputError("the features of the images for the PCA do not vary");
    const double negligible = static_cast<double>(images) * eps * largest;
    const Eigen::Index count = std::min(images, static_cast<Eigen::Index>(components));
    LayerPca pca{Matrix::Zero(images, count)};
    for (Eigen::Index k = 0; k < count; ++k) {
        const double squared = pairs.values[images - 1 - k];
        if (!(squared > negligible)) break;
        const auto u = pairs.vectors.col(images - 1 - k);
        const double scale = std::copysign(std::sqrt(squared), largest_entry(u));
        pca.directions.col(k) = u / scale;
    }
    return pca;
}

Matrix project_on_components(const LayerPca& pca, const StreamedFeatures& fitted,
                             const StreamedFeatures& projected, core::Workers& workers) {
    assert(fitted.features == projected.features);
    assert(pca.directions.rows() == static_cast<Eigen::Index>(fitted.rows));
    auto components = multiply(cross_products(fitted, projected, workers), pca.directions);
    for (Eigen::Index i = 0; i < components.size(); ++i)
        if (!std::isfinite(components.data()[i]))
            throw core::InputError("the features of row " + std::to_string(i % components.rows()) +
                                   " (or of an image for the PCA) are NaN or infinite");
    return components;
}

}  // namespace ventral::stats

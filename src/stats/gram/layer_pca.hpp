#pragma once
/// @file
/// Principal components of a layer, fitted on one set of images, and the projection of others on
/// them: LayerPCA of Brain-Score, which is scikit-learn's PCA by full SVD, in float64.
///
/// The components are V = Xcᵀ U S⁻¹, from the eigenvectors U and eigenvalues S² of the Gram
/// Xc Xcᵀ of the fitting images. V is never formed: a projection (T − μ) V is ((T − μ) Xcᵀ) U S⁻¹,
/// added up over slabs of features, so that no more than a slab of either set is held, however wide
/// the layer.

#include <cstddef>

#include "core/workers.hpp"
#include "stats/gram/gram.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Bump when a bit of a projection changes.
inline constexpr int layer_pca_version = 1;

/// True if the layer has so few features that the reference leaves it as it is.
constexpr bool passes_through_pca(std::size_t features, std::size_t components) {
    return features <= components;
}

struct LayerPca {
    /// Images × components: u / s. The sign makes the entry of u with the largest absolute value
    /// positive, the first of equal ones (scikit-learn 1.2's svd_flip). A component with
    /// s² ≤ images · eps · s₁², as the last is where there are as many as images, is zero: it has
    /// no variance but for rounding, and in the reference it is an arbitrary direction that differs
    /// from one machine to another. Others are off by about eps · s₁²/s², relative to themselves:
    /// the Gram has squared the features.
    Matrix directions;
};

/// LAPACK counts the workspace of eigenvectors, 1 + 6 n + 2 n² numbers, in 32 bits.
inline constexpr std::size_t most_pca_images = 32'000;

/// Of the images whose centred Gram is `kernel` (as `build_gram` gives it); at most as many
/// components as images. Throws `core::InputError` if the images are fewer than two or more than
/// `most_pca_images`, or if their features do not vary.
LayerPca fit_layer_pca(const Eigen::Ref<const Matrix>& kernel, std::size_t components);

/// `projected` (rows × components) of a layer, `fitted` being the features of the images that `pca`
/// was fitted on. The same bits for any number of workers. Throws `core::InputError` if a feature
/// is NaN or infinite.
Matrix project_on_components(const LayerPca& pca, const StreamedFeatures& fitted,
                             const StreamedFeatures& projected, core::Workers& workers);

}  // namespace ventral::stats

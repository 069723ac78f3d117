#include "stats/centred_features.hpp"

#include <algorithm>

namespace ventral::stats {
namespace {

/// The mean is taken of the differences to the first row, so that a constant feature has exactly
/// its value as mean.
template <typename T>
void centre_columns(const T* from, const FeatureMatrix& slab, std::size_t width, double* mean,
                    double* to) {
    std::fill_n(mean, width, 0.0);
    for (std::size_t i = 0; i < slab.rows; ++i) {
        const T* row = from + i * slab.stride;
        for (std::size_t j = 0; j < width; ++j)
            mean[j] += static_cast<double>(row[j]) - static_cast<double>(from[j]);
    }
    for (std::size_t j = 0; j < width; ++j)
        mean[j] = mean[j] / static_cast<double>(slab.rows) + static_cast<double>(from[j]);
    for (std::size_t i = 0; i < slab.rows; ++i) {
        const T* row = from + i * slab.stride;
        for (std::size_t j = 0; j < width; ++j)
            to[i * slab.features + j] = static_cast<double>(row[j]) - mean[j];
    }
}

}  // namespace

std::size_t centred_blocks(std::size_t features) {
    return (features + centred_block - 1) / centred_block;
}

void centre_block(const FeatureMatrix& slab, std::size_t block, std::span<double> means,
                  std::span<double> centred) {
    const std::size_t first = block * centred_block;
    const std::size_t width = std::min(centred_block, slab.features - first);
    std::visit(
        [&](const auto& values) {
            centre_columns(values.data() + first, slab, width, means.data() + first,
                           centred.data() + first);
        },
        slab.values);
}

}  // namespace ventral::stats

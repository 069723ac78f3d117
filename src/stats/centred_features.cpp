#include "stats/centred_features.hpp"

#include <algorithm>
#include <variant>

namespace ventral::stats {

std::size_t centred_blocks(std::size_t features) {
    return (features + centred_block - 1) / centred_block;
}

void centre_block(const FeatureMatrix& slab, std::size_t block, const CentredSlab& to) {
    const std::size_t first = block * centred_block;
    const std::size_t width = std::min(centred_block, slab.features - first);
    const auto means = to.means.subspan(first, width);
    std::visit(
        [&](const auto& values) {
            const auto* from = values.data() + first;
            mean_of_columns(from, slab, means);
            for (std::size_t i = 0; i < slab.rows; ++i)
                for (std::size_t j = 0; j < width; ++j)
                    to.values[i * to.stride + first + j] =
                        static_cast<double>(from[i * slab.stride + j]) - means[j];
        },
        slab.values);
}

}  // namespace ventral::stats

#include "stats/gram/odd_feature.hpp"

#include <algorithm>
#include <cmath>

namespace ventral::stats {
namespace {

std::optional<OddFeature> odd_in(const FeatureMatrix& slab, std::size_t first) {
    return std::visit(
        [&](const auto& values) -> std::optional<OddFeature> {
            for (std::size_t row = 0; row < slab.rows; ++row)
                for (std::size_t j = 0; j < slab.features; ++j) {
                    const double value = values[row * slab.stride + j];
                    if (!std::isfinite(value)) return OddFeature{row, first + j, value};
                }
            return std::nullopt;
        },
        slab.values);
}

}  // namespace

std::optional<OddFeature> find_odd_feature(std::size_t features, const ReadSlab& read) {
    for (std::size_t first = 0; first < features; first += slab_features) {
        const auto slab = read(first, std::min(slab_features, features - first));
        if (const auto odd = odd_in(slab, first)) return odd;
    }
    return std::nullopt;
}

}  // namespace ventral::stats

#include "stats/centred_features.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "stats/matrix.hpp"

namespace ventral::stats {
namespace {

/// The mean is taken of the differences to the first row, so that a constant feature has exactly
/// its value as mean.
template <typename T>
void mean_of_columns(const T* from, const FeatureMatrix& slab, std::span<double> means) {
    std::fill(means.begin(), means.end(), 0.0);
    for (std::size_t i = 0; i < slab.rows; ++i) {
        const T* row = from + i * slab.stride;
        for (std::size_t j = 0; j < means.size(); ++j)
            means[j] += static_cast<double>(row[j]) - static_cast<double>(from[j]);
    }
    for (std::size_t j = 0; j < means.size(); ++j)
        means[j] = means[j] / static_cast<double>(slab.rows) + static_cast<double>(from[j]);
}

/// Eight columns at a time: the sums have the lanes of `stats::sum`. Elementwise operations of
/// Eigen, no reductions: no bit depends on an address.
template <typename T>
std::array<double, row_statistics> statistics_of_row(const T* from, std::span<const double> means) {
    constexpr std::size_t lanes = 8;
    using Values = Eigen::Array<T, lanes, 1>;
    using Lanes = Eigen::Array<double, lanes, 1>;
    Lanes products = Lanes::Zero();
    Lanes sums = Lanes::Zero();
    Values least = Values::Constant(std::numeric_limits<T>::infinity());
    Values largest = -least;
    const std::size_t whole = means.size() / lanes * lanes;
    for (std::size_t j = 0; j < whole; j += lanes) {
        const Values values = Eigen::Map<const Values>(from + j);
        const Lanes mean = Eigen::Map<const Lanes>(means.data() + j);
        products += (values.template cast<double>() - mean) * mean;
        sums += values.template cast<double>();
        least = least.min(values);
        largest = largest.max(values);
    }
    for (std::size_t j = whole; j < means.size(); ++j) {
        const auto lane = static_cast<Eigen::Index>(j - whole);
        products[lane] += (static_cast<double>(from[j]) - means[j]) * means[j];
        sums[lane] += static_cast<double>(from[j]);
        least[lane] = std::min(least[lane], from[j]);
        largest[lane] = std::max(largest[lane], from[j]);
    }
    return {sum({products.data(), lanes}), sum({sums.data(), lanes}),
            static_cast<double>(*std::min_element(least.data(), least.data() + lanes)),
            static_cast<double>(*std::max_element(largest.data(), largest.data() + lanes))};
}

template <typename T>
void centre_columns(const T* from, const FeatureMatrix& slab, const CentredSlab& to,
                    std::span<double> statistics) {
    mean_of_columns(from, slab, to.means);
    const double* means = to.means.data();
    for (std::size_t i = 0; i < slab.rows; ++i) {
        const T* row = from + i * slab.stride;
        double* centred = to.values.data() + i * to.stride;
        for (std::size_t j = 0; j < to.means.size(); ++j)
            centred[j] = static_cast<double>(row[j]) - means[j];
        if (statistics.empty()) continue;
        const auto of_row = statistics_of_row(row, to.means);
        std::copy(of_row.begin(), of_row.end(), &statistics[i * row_statistics]);
    }
}

}  // namespace

std::size_t centred_blocks(std::size_t features) {
    return (features + centred_block - 1) / centred_block;
}

void centre_block(const FeatureMatrix& slab, std::size_t block, const CentredSlab& to,
                  std::span<double> statistics) {
    const std::size_t first = block * centred_block;
    const std::size_t width = std::min(centred_block, slab.features - first);
    const CentredSlab part{to.values.subspan(first), to.stride, to.means.subspan(first, width)};
    std::visit(
        [&](const auto& values) { centre_columns(values.data() + first, slab, part, statistics); },
        slab.values);
}

}  // namespace ventral::stats

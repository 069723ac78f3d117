#include "stats/row_strips.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

#include <immintrin.h>

#include "stats/centred_features.hpp"
#include "stats/matrix.hpp"

#ifndef __AVX2__
#error "the program needs at least AVX2: VENTRAL_ARCH=x86-64-v3 or better"
#endif

namespace ventral::stats {
namespace {

constexpr std::size_t square = 4;

__m256d load_square_row(const double* from) { return _mm256_loadu_pd(from); }
__m256d load_square_row(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }

/// Four rows of four features, centred, feature by feature.
template <typename T>
void centre_square(const T* from, std::size_t stride, const double* means, double* to) {
    const __m256d mean = _mm256_loadu_pd(means);
    const auto row = [&](std::size_t i) {
        return _mm256_sub_pd(load_square_row(from + i * stride), mean);
    };
    const __m256d row0 = row(0), row1 = row(1), row2 = row(2), row3 = row(3);
    const __m256d even01 = _mm256_unpacklo_pd(row0, row1), odd01 = _mm256_unpackhi_pd(row0, row1);
    const __m256d even23 = _mm256_unpacklo_pd(row2, row3), odd23 = _mm256_unpackhi_pd(row2, row3);
    _mm256_storeu_pd(to, _mm256_permute2f128_pd(even01, even23, 0x20));
    _mm256_storeu_pd(to + strip_rows, _mm256_permute2f128_pd(odd01, odd23, 0x20));
    _mm256_storeu_pd(to + 2 * strip_rows, _mm256_permute2f128_pd(even01, even23, 0x31));
    _mm256_storeu_pd(to + 3 * strip_rows, _mm256_permute2f128_pd(odd01, odd23, 0x31));
}

/// Up to 24 rows that begin at `from`.
template <typename T>
void centre_strip(const T* from, std::size_t stride, std::size_t rows,
                  std::span<const double> means, double* to) {
    const std::size_t square_rows = rows / square * square;
    const std::size_t square_features = means.size() / square * square;
    for (std::size_t j = 0; j < square_features; j += square)
        for (std::size_t i = 0; i < square_rows; i += square)
            centre_square(from + i * stride + j, stride, &means[j], to + j * strip_rows + i);
    for (std::size_t j = 0; j < means.size(); ++j) {
        double* of_feature = to + j * strip_rows;
        for (std::size_t i = j < square_features ? square_rows : 0; i < rows; ++i)
            of_feature[i] = static_cast<double>(from[i * stride + j]) - means[j];
        std::fill(of_feature + rows, of_feature + strip_rows, 0.0);
    }
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

}  // namespace

void centre_block(const FeatureMatrix& slab, std::size_t block, const RowStrips& to,
                  std::span<double> statistics) {
    const std::size_t first = block * centred_block;
    const auto means = to.means.subspan(first, std::min(centred_block, slab.features - first));
    std::visit(
        [&](const auto& values) {
            const auto* from = values.data() + first;
            mean_of_columns(from, slab, means);
            for (std::size_t strip = 0; strip < strips_of(slab.rows); ++strip) {
                const std::size_t row = strip * strip_rows;
                const std::size_t rows = std::min(strip_rows, slab.rows - row);
                centre_strip(from + row * slab.stride, slab.stride, rows, means,
                             to.at(strip, first));
                for (std::size_t i = row; i < row + rows; ++i) {
                    const auto of_row = statistics_of_row(from + i * slab.stride, means);
                    std::copy(of_row.begin(), of_row.end(), &statistics[i * row_statistics]);
                }
            }
        },
        slab.values);
}

}  // namespace ventral::stats

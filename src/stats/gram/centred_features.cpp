#include "stats/gram/centred_features.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <variant>

#include "core/ceil_divide.hpp"
#include "stats/linear_algebra/four_numbers.hpp"

namespace ventral::stats {
namespace {

/// Some rows that lie one behind the other, `stride` apart.
template <typename T>
struct Rows {
    const T* from;
    std::size_t stride;
    std::size_t count;
};

/// Rows whose differences are added while a sum is in a register.
constexpr std::size_t rows_at_once = 8;
/// Values in a cache line, of which one is asked for ahead: a row is too short for the processor to
/// see what comes next.
template <typename T>
constexpr std::size_t values_a_line = 64 / sizeof(T);

/// Adds to `sums` what each row has more than `first`, a row after the other.
template <typename T>
void add_differences(const Rows<T>& rows, const double* first, std::span<double> sums) {
    const std::size_t whole = sums.size() / 4 * 4;
    for (std::size_t j = 0; j < whole; j += 4) {
        const __m256d of_first = _mm256_loadu_pd(first + j);
        __m256d of_rows = _mm256_loadu_pd(&sums[j]);
        for (std::size_t i = 0; i < rows.count; ++i) {
            const T* row = rows.from + i * rows.stride + j;
            if (j % values_a_line<T> == 0) __builtin_prefetch(row + rows_at_once * rows.stride);
            of_rows = _mm256_add_pd(of_rows, _mm256_sub_pd(load_four(row), of_first));
        }
        _mm256_storeu_pd(&sums[j], of_rows);
    }
    for (std::size_t j = whole; j < sums.size(); ++j)
        for (std::size_t i = 0; i < rows.count; ++i)
            sums[j] += static_cast<double>(rows.from[i * rows.stride + j]) - first[j];
}

template <typename T>
void find_means(const T* from, const FeatureMatrix& slab, std::span<double> means) {
    assert(means.size() <= centred_block);
    std::array<double, centred_block> first;
    for (std::size_t j = 0; j < means.size(); ++j) first[j] = static_cast<double>(from[j]);
    std::fill(means.begin(), means.end(), 0.0);
    for (std::size_t i = 0; i < slab.rows; i += rows_at_once)
        add_differences(
            Rows<T>{from + i * slab.stride, slab.stride, std::min(rows_at_once, slab.rows - i)},
            first.data(), means);
    for (std::size_t j = 0; j < means.size(); ++j)
        means[j] = means[j] / static_cast<double>(slab.rows) + first[j];
}

}  // namespace

void mean_of_columns(const float* from, const FeatureMatrix& slab, std::span<double> means) {
    find_means(from, slab, means);
}
void mean_of_columns(const double* from, const FeatureMatrix& slab, std::span<double> means) {
    find_means(from, slab, means);
}

std::size_t centred_blocks(std::size_t features) {
    return core::ceil_divide(features, centred_block);
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

#pragma once
/// @file
/// What is kept of each row of some features beside their products.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <immintrin.h>

#include "stats/linear_algebra/four_numbers.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {

/// Doubles that are kept of each row: Σ centred · mean, Σ of the values as they are, their least
/// and their largest.
inline constexpr std::size_t statistics_a_row = 4;

/// The statistics of a row while they are gathered, in the lanes of `stats::sum`.
struct RowLanes {
    static constexpr std::size_t lanes = 8;

    std::array<double, lanes> products{};
    std::array<double, lanes> sums{};
    std::array<double, lanes> least;
    std::array<double, lanes> largest;

    RowLanes() {
        least.fill(std::numeric_limits<double>::infinity());
        largest.fill(-std::numeric_limits<double>::infinity());
    }

    void add(std::size_t lane, double value, double mean) {
        products[lane] += (value - mean) * mean;
        sums[lane] += value;
        least[lane] = std::min(least[lane], value);
        largest[lane] = std::max(largest[lane], value);
    }

    std::array<double, statistics_a_row> result() const {
        return {sum(products), sum(sums), *std::min_element(least.begin(), least.end()),
                *std::max_element(largest.begin(), largest.end())};
    }
};

/// Four of the lanes, from `first` on, of all whole groups of eight columns.
template <typename T>
void add_to_lanes(const T* from, std::span<const double> means, std::size_t first, RowLanes& to) {
    __m256d products = _mm256_loadu_pd(&to.products[first]);
    __m256d sums = _mm256_loadu_pd(&to.sums[first]);
    __m256d least = _mm256_loadu_pd(&to.least[first]);
    __m256d largest = _mm256_loadu_pd(&to.largest[first]);
    for (std::size_t j = first; j < means.size() / RowLanes::lanes * RowLanes::lanes;
         j += RowLanes::lanes) {
        const __m256d values = load_four(from + j);
        const __m256d mean = _mm256_loadu_pd(&means[j]);
        products = _mm256_add_pd(products, _mm256_mul_pd(_mm256_sub_pd(values, mean), mean));
        sums = _mm256_add_pd(sums, values);
        least = _mm256_min_pd(values, least);
        largest = _mm256_max_pd(values, largest);
    }
    _mm256_storeu_pd(&to.products[first], products);
    _mm256_storeu_pd(&to.sums[first], sums);
    _mm256_storeu_pd(&to.least[first], least);
    _mm256_storeu_pd(&to.largest[first], largest);
}

/// What these add up to over all features, of each row.
struct RowTotals {
    std::span<double> centred_times_mean, row_sums;
    std::span<double> row_extremes;  ///< two of each row

    void clear() const {
        std::fill(centred_times_mean.begin(), centred_times_mean.end(), 0.0);
        std::fill(row_sums.begin(), row_sums.end(), 0.0);
        for (std::size_t row = 0; row < row_sums.size(); ++row) {
            row_extremes[2 * row] = std::numeric_limits<double>::infinity();
            row_extremes[2 * row + 1] = -std::numeric_limits<double>::infinity();
        }
    }
    void add(std::size_t row, std::span<const double> part) const {
        centred_times_mean[row] += part[0];
        row_sums[row] += part[1];
        const auto extremes = row_extremes.subspan(2 * row, 2);
        extremes[0] = std::min(extremes[0], part[2]);
        extremes[1] = std::max(extremes[1], part[3]);
    }
};

/// Of the features that begin at `from`, as many as there are means.
template <typename T>
std::array<double, statistics_a_row> statistics_of_row(const T* from,
                                                       std::span<const double> means) {
    RowLanes lanes;
    for (std::size_t first = 0; first < RowLanes::lanes; first += 4)
        add_to_lanes(from, means, first, lanes);
    for (std::size_t j = means.size() / RowLanes::lanes * RowLanes::lanes; j < means.size(); ++j)
        lanes.add(j % RowLanes::lanes, static_cast<double>(from[j]), means[j]);
    return lanes.result();
}

}  // namespace ventral::stats

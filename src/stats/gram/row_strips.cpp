#include "stats/gram/row_strips.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "stats/gram/centred_features.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/linear_algebra/four_numbers.hpp"

namespace ventral::stats {
namespace {

constexpr std::size_t square = 4;

/// What is taken from the features of a block, and where in a strip they lie.
struct Shifts {
    std::array<double, centred_block> values;
    std::array<std::size_t, centred_block> places;
    std::size_t count;
};

/// Four rows of four features from `first` on, shifted, feature by feature.
template <typename T>
void shift_square(const T* from, std::size_t stride, const Shifts& shifts, std::size_t first,
                  double* to) {
    const __m256d shift = _mm256_loadu_pd(&shifts.values[first]);
    const auto row = [&](std::size_t i) {
        return _mm256_sub_pd(load_four(from + i * stride + first), shift);
    };
    const __m256d row0 = row(0), row1 = row(1), row2 = row(2), row3 = row(3);
    const __m256d even01 = _mm256_unpacklo_pd(row0, row1), odd01 = _mm256_unpackhi_pd(row0, row1);
    const __m256d even23 = _mm256_unpacklo_pd(row2, row3), odd23 = _mm256_unpackhi_pd(row2, row3);
    const std::size_t* places = &shifts.places[first];
    _mm256_storeu_pd(to + places[0], _mm256_permute2f128_pd(even01, even23, 0x20));
    _mm256_storeu_pd(to + places[1], _mm256_permute2f128_pd(odd01, odd23, 0x20));
    _mm256_storeu_pd(to + places[2], _mm256_permute2f128_pd(even01, even23, 0x31));
    _mm256_storeu_pd(to + places[3], _mm256_permute2f128_pd(odd01, odd23, 0x31));
}

/// Up to 24 rows that begin at `from`.
template <typename T>
void shift_strip(const T* from, std::size_t stride, std::size_t rows, const Shifts& shifts,
                 double* to) {
    const std::size_t square_rows = rows / square * square;
    const std::size_t square_features = shifts.count / square * square;
    for (std::size_t j = 0; j < square_features; j += square)
        for (std::size_t i = 0; i < square_rows; i += square)
            shift_square(from + i * stride, stride, shifts, j, to + i);
    for (std::size_t j = 0; j < shifts.count; ++j) {
        double* of_feature = to + shifts.places[j];
        for (std::size_t i = j < square_features ? square_rows : 0; i < rows; ++i)
            of_feature[i] = static_cast<double>(from[i * stride + j]) - shifts.values[j];
        std::fill(of_feature + rows, of_feature + strip_rows, 0.0);
    }
}

Shifts shifts_of(std::span<const double> means, const BlockLayout& layout) {
    Shifts shifts{{}, {}, means.size()};
    for (std::size_t j = 0; j < means.size(); ++j) {
        shifts.values[j] = layout.sparse[j] ? 0 : means[j];
        shifts.places[j] = layout.places[j] * strip_rows;
    }
    return shifts;
}

}  // namespace

void centre_block(const FeatureMatrix& slab, std::size_t block, const BlockLayout& layout,
                  const RowStrips& to, std::span<double> statistics) {
    const std::size_t first = block * centred_block;
    const auto means = to.means.subspan(first, std::min(centred_block, slab.features - first));
    std::visit(
        [&](const auto& values) {
            const auto* from = values.data() + first;
            mean_of_columns(from, slab, means);
            const Shifts shifts = shifts_of(means, layout);
            for (std::size_t strip = 0; strip < strips_of(slab.rows); ++strip) {
                const std::size_t row = strip * strip_rows;
                const std::size_t rows = std::min(strip_rows, slab.rows - row);
                shift_strip(from + row * slab.stride, slab.stride, rows, shifts,
                            to.at(strip, first));
                for (std::size_t i = row; i < row + rows; ++i) {
                    const auto of_row = statistics_of_row(from + i * slab.stride, means);
                    std::copy(of_row.begin(), of_row.end(), &statistics[i * statistics_a_row]);
                }
            }
        },
        slab.values);
}

}  // namespace ventral::stats

#include <algorithm>

#include <immintrin.h>

#include "stats/gram/strip_factors.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"

namespace ventral::stats {
namespace {

/// Features of a strip of rows and one of columns, 24 KiB, that an L1 cache of 32 KiB holds beside
/// the 4.5 KiB of their sums.
constexpr std::size_t features_in_l1 = 64;

/// Sums of 12 rows and 4 columns, which are in registers while features are added to them.
constexpr std::size_t part_rows = 12;
constexpr std::size_t part_columns = 4;
constexpr std::size_t lanes = 4;
struct Part {
    __m256d sums[part_columns][part_rows / lanes];
};
constexpr std::size_t parts_down = strip_rows / part_rows;
constexpr std::size_t parts_across = columns_with_avx2 / part_columns;
constexpr std::size_t parts = parts_down * parts_across;
static_assert(strip_rows % part_rows == 0 && columns_with_avx2 % part_columns == 0);

/// While features are added to a part, cache lines of the features that come next are asked for:
/// all of their rows and columns while they are added to all parts.
constexpr std::size_t features_a_line = 2;
constexpr std::size_t lines_a_part = features_in_l1 / features_a_line;
constexpr std::size_t parts_for_rows = features_in_l1 * strip_rows / doubles_a_line / lines_a_part;
static_assert(2 * parts_for_rows == parts);

inline void add_feature(const double* rows, const double* columns, Part& part) {
    const __m256d rows0 = _mm256_loadu_pd(rows);
    const __m256d rows1 = _mm256_loadu_pd(rows + lanes);
    const __m256d rows2 = _mm256_loadu_pd(rows + 2 * lanes);
#pragma GCC unroll 4
    for (std::size_t j = 0; j < part_columns; ++j) {
        const __m256d column = _mm256_broadcast_sd(columns + j);
        part.sums[j][0] = _mm256_fmadd_pd(rows0, column, part.sums[j][0]);
        part.sums[j][1] = _mm256_fmadd_pd(rows1, column, part.sums[j][1]);
        part.sums[j][2] = _mm256_fmadd_pd(rows2, column, part.sums[j][2]);
    }
}

/// Adds the products of each feature in turn.
void add_features(const double* rows, const double* columns, std::size_t features,
                  const double* next, Part& to) {
    constexpr std::size_t at_once = 2 * features_a_line;
    std::size_t left = features;
    Part part = to;
    for (; left >= at_once; left -= at_once) {
        __builtin_prefetch(next);
        __builtin_prefetch(next + doubles_a_line);
        next += 2 * doubles_a_line;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < at_once; ++k)
            add_feature(rows + k * strip_rows, columns + k * strip_rows, part);
        rows += at_once * strip_rows;
        columns += at_once * strip_rows;
    }
    for (; left > 0; --left, rows += strip_rows, columns += strip_rows)
        add_feature(rows, columns, part);
    to = part;
}

/// Asks for the entries of a part, which are needed once all features are added.
void ask_for(const Corner& part) {
    for (std::size_t j = 0; j < part_columns; ++j)
        for (const std::size_t i : {std::size_t{0}, doubles_a_line, part_rows - 1})
            __builtin_prefetch(part.entries + j * part.order + i, 1);
}

void add_sums(const Part& part, const Corner& to) {
    for (std::size_t j = 0; j < part_columns; ++j)
        for (std::size_t r = 0; r < part_rows / lanes; ++r) {
            double* entries = to.entries + j * to.order + r * lanes;
            _mm256_storeu_pd(entries, _mm256_add_pd(_mm256_loadu_pd(entries), part.sums[j][r]));
        }
}

constexpr std::size_t row_of(std::size_t part) { return part / parts_across * part_rows; }
constexpr std::size_t column_of(std::size_t part) { return part % parts_across * part_columns; }

Corner corner_of(std::size_t part, const Corner& all) {
    return {all.entries + column_of(part) * all.order + row_of(part), all.order};
}

}  // namespace

void add_with_avx2(const Factors& factors, const Corner& to) {
    Part sums[parts] = {};
    for (std::size_t first = 0; first < factors.features; first += features_in_l1) {
        const std::size_t count = std::min(features_in_l1, factors.features - first);
        const double* rows = factors.rows + first * strip_rows;
        const double* columns = factors.columns + first * strip_rows;
        const bool is_last = first + count == factors.features;
        const double* next_rows = is_last ? factors.next_rows : rows + count * strip_rows;
        const double* next_columns = is_last ? factors.columns : columns + count * strip_rows;
        for (std::size_t part = 0; part < parts; ++part) {
            if (first == 0) ask_for(corner_of(part, to));
            const double* next = part < parts_for_rows ? next_rows : next_columns;
            add_features(rows + row_of(part), columns + column_of(part), count,
                         next + part % parts_for_rows * lines_a_part * doubles_a_line, sums[part]);
        }
    }
    for (std::size_t part = 0; part < parts; ++part) add_sums(sums[part], corner_of(part, to));
}

}  // namespace ventral::stats

#include "stats/gram/sparse_rows.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <variant>

#include "core/ceil_divide.hpp"
#include "stats/gram/row_strips.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"
#include "stats/linear_algebra/four_numbers.hpp"

namespace ventral::stats {
namespace {

/// With fewer rows, or sparse features, a Gram takes no time that would be worth saving.
constexpr std::size_t enough_rows = 96;
constexpr std::size_t enough_features = 9;
/// Features that are multiplied in the time that a row of lists takes beside its entries, and in
/// that of an entry.
constexpr double time_of_row = 8;
constexpr double time_of_entry = 1.4;

/// Rows that are looked at before all are: most blocks have no zeros. A feature is sparse hardly
/// ever if it has more entries in them than `most_tried_entries`, far more than `most_sparse_rows`.
constexpr std::size_t tried_rows = 64;
constexpr std::size_t most_tried_entries = 40;

constexpr std::size_t head_size = 2;

bool may_be_sparse(std::size_t rows, std::size_t features) {
    return rows >= enough_rows && features >= enough_features;
}

std::size_t most_entries_of_feature(std::size_t rows) {
    return static_cast<std::size_t>(most_sparse_rows * static_cast<double>(rows));
}

/// A block's lists are no longer.
std::size_t most_entries(std::size_t rows, std::size_t features) {
    return most_entries_of_feature(rows) * std::min(features, centred_block);
}

using Counts = std::array<std::uint32_t, centred_block>;

/// Adds, of `rows` rows that are `stride` apart, in how many each feature is other than zero.
template <std::size_t rows, typename T>
void count_in_rows(const T* from, std::size_t stride, std::size_t features, Counts& counts) {
    for (std::size_t j = 0; j < features; ++j) {
        std::uint32_t count = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < rows; ++i) count += from[i * stride + j] != T{0} ? 1U : 0U;
        counts[j] += count;
    }
}

/// Of every step-th row, in how many each feature is other than zero; NaN is.
template <typename T>
Counts count_entries(const T* from, const FeatureMatrix& block, std::size_t step) {
    constexpr std::size_t at_once = 8;
    Counts counts{};
    const std::size_t stride = step * block.stride;
    const std::size_t rows = core::ceil_divide(block.rows, step);
    std::size_t row = 0;
    for (; row + at_once <= rows; row += at_once)
        count_in_rows<at_once>(from + row * stride, stride, block.features, counts);
    for (; row < rows; ++row) count_in_rows<1>(from + row * stride, stride, block.features, counts);
    return counts;
}

/// In how many rows each feature is other than zero; nothing if hardly any can be sparse.
std::optional<Counts> entries_of_features(const FeatureMatrix& block) {
    return std::visit(
        [&](const auto& values) -> std::optional<Counts> {
            const std::size_t step = core::ceil_divide(block.rows, tried_rows);
            const Counts tried = count_entries(values.data(), block, step);
            const auto candidates = static_cast<std::size_t>(
                std::count_if(tried.begin(), tried.begin() + block.features,
                              [](auto count) { return count <= most_tried_entries; }));
            if (candidates < enough_features) return std::nullopt;
            return count_entries(values.data(), block, 1);
        },
        block.values);
}

/// A bit for each column of a block.
constexpr std::size_t columns_a_word = 64;
using Columns = std::array<std::uint64_t, centred_block / columns_a_word>;

Columns columns_that_are(const std::array<bool, centred_block>& wanted) {
    Columns columns{};
    for (std::size_t j = 0; j < wanted.size(); ++j)
        columns[j / columns_a_word] |= std::uint64_t{wanted[j]} << j % columns_a_word;
    return columns;
}

/// Those in which a row is other than zero; NaN is.
template <typename T>
Columns columns_with_entries(const T* row, std::size_t count) {
    Columns columns{};
    std::size_t j = 0;
    for (; j + 4 <= count; j += 4) {
        const __m256d entries = _mm256_cmp_pd(load_four(row + j), _mm256_setzero_pd(), _CMP_NEQ_UQ);
        columns[j / columns_a_word] |= static_cast<std::uint64_t>(_mm256_movemask_pd(entries))
                                       << j % columns_a_word;
    }
    for (; j < count; ++j)
        columns[j / columns_a_word] |= std::uint64_t{row[j] != T{0}} << j % columns_a_word;
    return columns;
}

}  // namespace

BlockLayout layout_of_block(const FeatureMatrix& block, SparsePlace place) {
    BlockLayout layout;
    layout.sparse.fill(false);
    const auto counts =
        may_be_sparse(block.rows, block.features) ? entries_of_features(block) : std::nullopt;
    if (counts) {
        const std::size_t most = most_entries_of_feature(block.rows);
        double saved = -time_of_row;
        for (std::size_t j = 0; j < block.features; ++j) {
            const std::size_t count = (*counts)[j];
            layout.sparse[j] = count <= most;
            if (!layout.sparse[j]) continue;
            ++layout.sparse_features;
            saved +=
                1 - time_of_entry * static_cast<double>(count) / static_cast<double>(block.rows);
        }
        if (saved <= 0) {
            layout.sparse.fill(false);
            layout.sparse_features = 0;
        }
    }
    std::size_t sparse = place == SparsePlace::front ? 0 : block.features - layout.sparse_features;
    std::size_t others = place == SparsePlace::front ? layout.sparse_features : 0;
    for (std::size_t j = 0; j < block.features; ++j)
        layout.places[j] = static_cast<std::uint16_t>(layout.sparse[j] ? sparse++ : others++);
    return layout;
}

std::size_t SparseRows::size(std::size_t rows, std::size_t features) {
    if (!may_be_sparse(rows, features)) return head_size;
    const std::size_t entries = most_entries(rows, features);
    return head_size + strips_of(rows) * strip_rows + entries + (rows + 2) / 2 + (entries + 3) / 4;
}

SparseRows::SparseRows(std::span<double> memory, std::size_t rows, std::size_t features) {
    head_ = take_front(memory, head_size);
    if (!may_be_sparse(rows, features)) return;
    const std::size_t entries = most_entries(rows, features);
    times_means_ = take_front(memory, strips_of(rows) * strip_rows);
    values_ = take_front(memory, entries);
    starts_ = {reinterpret_cast<std::uint32_t*>(take_front(memory, (rows + 2) / 2).data()),
               rows + 1};
    offsets_ = {reinterpret_cast<std::uint16_t*>(take_front(memory, (entries + 3) / 4).data()),
                entries};
}

void SparseRows::fill(const FeatureMatrix& block, const BlockLayout& layout, std::size_t from,
                      std::span<const double> means) const {
    head_[0] = static_cast<double>(layout.sparse_features);
    head_[1] = 0;
    if (layout.sparse_features == 0) return;
    std::fill(times_means_.begin(), times_means_.end(), 0.0);
    std::array<std::uint16_t, centred_block> offsets;
    for (std::size_t j = 0; j < block.features; ++j) {
        offsets[j] = static_cast<std::uint16_t>((from + layout.places[j]) * strip_rows);
        if (layout.sparse[j]) head_[1] += means[j] * means[j];
    }
    const Columns sparse = columns_that_are(layout.sparse);
    std::visit(
        [&](const auto& values) {
            std::uint32_t end = 0;
            for (std::size_t row = 0; row < block.rows; ++row) {
                starts_[row] = end;
                const auto* of_row = values.data() + row * block.stride;
                const Columns entries = columns_with_entries(of_row, block.features);
                double product = 0;
                for (std::size_t w = 0; w < entries.size(); ++w)
                    for (auto left = entries[w] & sparse[w]; left != 0; left &= left - 1) {
                        const std::size_t j =
                            w * columns_a_word + static_cast<std::size_t>(std::countr_zero(left));
                        values_[end] = static_cast<double>(of_row[j]);
                        offsets_[end] = offsets[j];
                        product += values_[end++] * means[j];
                    }
                times_means_[row] = product;
            }
            starts_[block.rows] = end;
        },
        block.values);
}

}  // namespace ventral::stats

#include "metrics/split_halves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/errors.hpp"
#include "stats/correlation.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t block = 32;  // neuroids that one task averages

/// Some neuroids of all presentations.
template <typename T>
struct Strip {
    const T* values;
    std::size_t neuroids, row_stride, neuroid_stride;
};

struct Sums {
    std::array<double, block> totals{};
    std::array<double, block> counts{};
};

template <typename T>
void add(Sums& sums, std::size_t j, T entry) {
    const auto value = static_cast<double>(entry);
    const bool missing = std::isnan(value);
    sums.totals[j] += missing ? 0.0 : value;
    sums.counts[j] += missing ? 0.0 : 1.0;
}

template <typename T>
void add_row(Sums& sums, const Strip<T>& strip, std::size_t row) {
    const T* values = strip.values + row * strip.row_stride;
    if (strip.neuroid_stride == 1 && strip.neuroids == block)
        for (std::size_t j = 0; j < block; ++j) add(sums, j, values[j]);
    else
        for (std::size_t j = 0; j < strip.neuroids; ++j)
            add(sums, j, values[j * strip.neuroid_stride]);
}

/// groups × neuroids of the strip.
template <typename T>
stats::Matrix means(const Strip<T>& strip, const RowGroups& groups) {
    stats::Matrix result(static_cast<Eigen::Index>(groups.count()),
                         static_cast<Eigen::Index>(strip.neuroids));
    for (std::size_t g = 0; g < groups.count(); ++g) {
        Sums sums;
        for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i)
            add_row(sums, strip, groups.rows[i]);
        for (std::size_t j = 0; j < strip.neuroids; ++j)
            result(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(j)) =
                sums.totals[j] / sums.counts[j];  // 0 / 0 is NaN
    }
    return result;
}

template <typename T>
std::vector<double> consistency(const std::vector<T>& values, const PresentationView& table,
                                const std::vector<SplitHalves>& splits, core::Workers& workers) {
    std::vector<double> result(splits.size() * table.neuroids,
                               std::numeric_limits<double>::quiet_NaN());
    workers.parallel_for((table.neuroids + block - 1) / block, [&](std::size_t b) {
        const std::size_t first = b * block;
        const Strip<T> strip{values.data() + first * table.neuroid_stride,
                             std::min(block, table.neuroids - first), table.row_stride,
                             table.neuroid_stride};
        for (std::size_t s = 0; s < splits.size(); ++s) {
            if (splits[s].first.count() == 0) continue;
            const auto r = stats::pearson_columns(means(strip, splits[s].first),
                                                  means(strip, splits[s].second));
            std::transform(r.begin(), r.end(),
                           result.begin() + static_cast<std::ptrdiff_t>(s * table.neuroids + first),
                           stats::spearman_brown);
        }
    });
    return result;
}

}  // namespace

std::vector<double> split_half_consistency(const PresentationView& presentations,
                                           const std::vector<SplitHalves>& splits,
                                           core::Workers& workers) {
    return std::visit(
        [&](const auto& values) -> std::vector<double> {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>)
                throw core::InputError(
                    "the recordings are strings (numbers are needed for a consistency)");
            else
                return consistency(values, presentations, splits, workers);
        },
        presentations.values);
}

}  // namespace ventral::metrics

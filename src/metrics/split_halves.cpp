#include "metrics/split_halves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/similarity/correlation.hpp"

namespace ventral::metrics {
namespace {

constexpr std::size_t block = 16;  // neuroids that one task averages

/// Some neuroids of the listed rows, one row after the other; what is missing is zero, and marked.
template <typename T>
class Strip {
public:
    Strip(const T* values, const PresentationView& table, const std::vector<std::size_t>& rows,
          std::size_t neuroids)
        : neuroids_(neuroids), values_(rows.size() * block, T{0}), missing_(rows.size(), 0) {
        constexpr std::size_t ahead = 16;  // rows lie far apart: they are asked for early
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i + ahead < rows.size())
                __builtin_prefetch(values + rows[i + ahead] * table.row_stride);
            fill(i, values + rows[i] * table.row_stride, table.neuroid_stride);
        }
    }

    /// groups × neuroids.
    stats::Matrix means(const PlaceGroups& groups) const {
        stats::Matrix result(static_cast<Eigen::Index>(groups.count()),
                             static_cast<Eigen::Index>(neuroids_));
        for (std::size_t g = 0; g < groups.count(); ++g) {
            const auto mean = group_mean(groups, g);
            for (std::size_t j = 0; j < neuroids_; ++j)
                result(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(j)) = mean[j];
        }
        return result;
    }

private:
    using Row = std::array<double, block>;

    void fill(std::size_t place, const T* from, std::size_t stride) {
        T* to = values_.data() + place * block;
        for (std::size_t j = 0; j < neuroids_; ++j) {
            const T value = from[j * stride];
            if (std::isnan(static_cast<double>(value)))
                missing_[place] |= static_cast<std::uint16_t>(1U << j);
            else
                to[j] = value;
        }
    }

    /// NaN where all is missing.
    Row group_mean(const PlaceGroups& groups, std::size_t g) const {
        Row totals{};
        Row missing{};
        for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) {
            const std::size_t place = groups.places[i];
            const T* row = values_.data() + place * block;
            for (std::size_t j = 0; j < block; ++j) totals[j] += static_cast<double>(row[j]);
            if (missing_[place] == 0) continue;
            for (std::size_t j = 0; j < block; ++j) missing[j] += missing_[place] >> j & 1U;
        }
        const auto count = static_cast<double>(groups.starts[g + 1] - groups.starts[g]);
        for (std::size_t j = 0; j < block; ++j) totals[j] /= count - missing[j];
        return totals;
    }

    std::size_t neuroids_;
    std::vector<T> values_;
    std::vector<std::uint16_t> missing_;  // a bit per neuroid
};

template <typename T>
std::vector<double> consistency(const PresentationView& table, const std::vector<std::size_t>& rows,
                                const std::vector<SplitHalves>& splits, CorrelateColumns correlate,
                                core::Workers& workers) {
    const auto& values = std::get<std::vector<T>>(table.values);
    std::vector<double> result(splits.size() * table.neuroids,
                               std::numeric_limits<double>::quiet_NaN());
    workers.parallel_for(core::ceil_divide(table.neuroids, block), [&](std::size_t b) {
        const std::size_t first = b * block;
        const Strip<T> strip(values.data() + first * table.neuroid_stride, table, rows,
                             std::min(block, table.neuroids - first));
        for (std::size_t s = 0; s < splits.size(); ++s) {
            if (splits[s].first.count() == 0) continue;
            const auto r = correlate(strip.means(splits[s].first), strip.means(splits[s].second));
            std::transform(r.begin(), r.end(),
                           result.begin() + static_cast<std::ptrdiff_t>(s * table.neuroids + first),
                           stats::spearman_brown);
        }
    });
    return result;
}

}  // namespace

std::vector<double> split_half_consistency(const PresentationView& presentations,
                                           const std::vector<std::size_t>& rows,
                                           const std::vector<SplitHalves>& splits,
                                           CorrelateColumns correlate, core::Workers& workers) {
    return std::visit(
        [&](const auto& values) -> std::vector<double> {
            using Entry = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>)
                throw core::InputError(
                    "the recordings are strings (numbers are needed for a consistency)");
            else
                return consistency<Entry>(presentations, rows, splits, correlate, workers);
        },
        presentations.values);
}

}  // namespace ventral::metrics

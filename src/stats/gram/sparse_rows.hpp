#pragma once
/// @file
/// Features that most rows lack, as rectified units are: a Gram takes them as they are, since a
/// product with zero need not be made, and centres the products of a block of them afterwards.
///
/// If a feature is zero in all rows but a share d, then by Cauchy and Schwarz the square of its
/// mean is at most d times the mean of its squares: centred, it keeps at least 1 - d of these. So
/// the squares of a row's entries are on the average at most 1.7 times those of what is centred
/// (d ≤ 0.4), and with them the bound of what its products are rounded by.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/gram/centred_features.hpp"

namespace ventral::stats {

/// The largest share of the rows in which such a feature may be other than zero. Beyond it little
/// time would be saved.
inline constexpr double most_sparse_rows = 0.4;

/// Which features of a block are sparse, and where in its strips the features lie: the sparse ones
/// beside each other and the others too, each in their order.
struct BlockLayout {
    std::array<bool, centred_block> sparse;
    std::array<std::uint16_t, centred_block> places;  ///< in the block
    std::size_t sparse_features = 0;
};

/// Where the sparse features of a block lie.
enum class SparsePlace { front, back };

/// None are sparse where that would save no time, as with few rows. Follows from the features
/// and the order of their rows.
BlockLayout layout_of_block(const FeatureMatrix& block, SparsePlace place);

/// The sparse features of a block, row by row: of each row what is not zero, and where it lies.
class SparseRows {
public:
    /// How many doubles it needs for blocks of at most so many features.
    static std::size_t size(std::size_t rows, std::size_t features);

    /// In that many doubles. What is in them already is taken as it is.
    SparseRows(std::span<double> memory, std::size_t rows, std::size_t features);

    /// The sparse features among the block's columns. `from` is the first place of the block in
    /// its strips.
    void fill(const FeatureMatrix& block, const BlockLayout& layout, std::size_t from,
              std::span<const double> means) const;

    std::size_t features() const { return static_cast<std::size_t>(head_[0]); }
    /// With μ the sparse features' means: μᵀμ.
    double mean_squared() const { return head_[1]; }
    /// xᵀμ of each row x, and 0 of those that the last strip lacks.
    std::span<const double> times_means() const { return times_means_; }

    /// A row's entries: values, and how many doubles from the beginning of a strip on the feature
    /// lies.
    struct Row {
        std::span<const double> values;
        std::span<const std::uint16_t> offsets;
    };
    Row row(std::size_t row) const {
        const std::size_t first = starts_[row];
        const std::size_t count = starts_[row + 1] - first;
        return {std::span<const double>(values_).subspan(first, count),
                std::span<const std::uint16_t>(offsets_).subspan(first, count)};
    }

private:
    std::span<double> head_;
    std::span<double> times_means_;
    std::span<double> values_;
    std::span<std::uint32_t> starts_;  ///< rows + 1
    std::span<std::uint16_t> offsets_;
};

}  // namespace ventral::stats

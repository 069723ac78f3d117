#pragma once
/// @file
/// K = Xc Xcᵀ of a layer, streamed: features come in slabs, so that no layer is too wide.
///
/// Each feature's mean over all rows is subtracted, in float64, before features are multiplied, or
/// from the products of few of them that are zero in most rows (below): a Gram of centred features
/// loses far fewer digits when a fold is centred again on its train rows, and every regression with
/// an intercept is the same for both. What the means were is kept (`centred_times_mean`,
/// `mean_squared`, `row_sums`), so that the uncentred products can be had back.
///
/// The same bits on any number of ranks and workers: the order in which an entry of K is summed
/// (strip_products.hpp) follows from the features alone, and every tile of K is added up panel by
/// panel, by whichever worker of whichever rank is free. A panel is what is centred and multiplied
/// at a time: small enough to stay in the last-level cache in between, 2 KiB for each row, and
/// lists of up to 1 KiB. Workers go from panel to panel without meeting: a tile waits only for the
/// panel before it, and all of them once in a slab.
///
/// Features that are zero in most rows, as rectified units are, are multiplied as they are, and
/// only where both rows have them; what centring changes is then taken from the products of each
/// half of a panel, before they are added to K (sparse_products.hpp).
///
/// With few rows a panel is multiplied so quickly that cores which share it wait for each other's
/// caches. So there the panels are two lanes, in turn, each added to a sum of its own, and half of
/// the workers keep to either: two cores have nothing in common until the sums are added.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "core/workers.hpp"
#include "stats/gram/team_share.hpp"

namespace ventral::stats {

/// Bump when anything changes that a bit of a Gram depends on, or of what stands for one
/// (`kernel.hpp`).
inline constexpr int gram_version = 8;

/// What is thrown for features that have no Gram.
inline constexpr const char* not_finite_text =
    "features are NaN or infinite (or so large that their squares are)";

/// Features that are read at a time, and that are centred and multiplied at a time.
inline constexpr std::size_t slab_features = 4096;
inline constexpr std::size_t panel_features = 256;

/// Sums that the panels are added to in turn, a function of the number of rows alone.
inline constexpr std::size_t most_gram_lanes = 2;
std::size_t gram_lanes(std::size_t rows);

/// Panels that are in memory at a time: while one is centred, those before it are multiplied.
inline constexpr std::size_t most_panels_in_work = 6;
std::size_t panels_in_work(std::size_t rows);

/// Edge of the square tiles of K, a function of the number of rows alone: the larger, the faster
/// the product, and the fewer tasks there are.
std::size_t gram_tile(std::size_t rows);

/// Features of all rows in memory, or some columns of them: row i begins at values[i × stride].
struct FeatureMatrix {
    std::variant<std::span<const float>, std::span<const double>> values;
    std::size_t rows = 0;
    std::size_t features = 0;
    std::size_t stride = 0;
};

/// The columns [first, first + count) of a matrix.
FeatureMatrix columns_of(const FeatureMatrix& matrix, std::size_t first, std::size_t count);

/// The columns [first, first + count) of all rows. What the call before the last returned need not
/// be valid any more (but see `build_gram`); what the last returned must be.
using ReadSlab = std::function<FeatureMatrix(std::size_t first, std::size_t count)>;

/// Features that are read slab by slab.
struct StreamedFeatures {
    std::size_t rows = 0;
    std::size_t features = 0;
    ReadSlab read;
};

/// Where the Gram is built: memory that all ranks of the team see, zero at the start.
struct GramMemory {
    std::span<double> kernel;              ///< rows × rows; symmetric when done
    std::span<double> centred_times_mean;  ///< rows: Xc μ
    std::span<double> row_sums;            ///< rows: Σ over features of the uncentred row
    std::span<double> row_extremes;        ///< 2 × rows: least and largest entry of each row
    std::span<double> mean_squared;        ///< 1: μᵀμ
    /// What is in use while it is built: centred features, their means, statistics of their rows,
    /// lists of sparse features.
    std::span<double> panels[most_panels_in_work];
    std::span<double> means[most_panels_in_work];
    std::span<double> row_parts[most_panels_in_work];
    std::span<double> sparse_rows[most_panels_in_work];
    std::span<double> second_lane;     ///< what the Gram is, of the second lane; or nothing
    std::span<std::uint64_t> started;  ///< for each lane 2: how many tasks of a step are begun
    std::span<std::uint64_t> centred;  ///< of each panel in work: blocks centred so far
    std::span<std::uint64_t>
        added;  ///< of each lane, tile and μᵀμ: panels of the lane added so far
};

/// What the centring of a Gram took away, in the form that brings it back: with 1 the vector of
/// ones, X Xᵀ = K + Xcμ 1ᵀ + 1 (Xcμ)ᵀ + μᵀμ 1 1ᵀ.
struct GramSums {
    std::span<const double> centred_times_mean;  ///< rows
    std::span<const double> row_sums;            ///< rows
    std::span<const double> row_extremes;        ///< 2 × rows: least and largest entry of each
    double mean_squared = 0;
};

/// How many doubles the parts of `GramMemory` need.
struct GramSizes {
    std::size_t kernel, row, extremes;                ///< of what the Gram is
    std::size_t panel, mean, row_parts, sparse_rows;  ///< of one panel in work
    std::size_t panels;                               ///< in work
    std::size_t second_lane;                          ///< of what is added to the Gram in the end
    std::size_t counts;                               ///< of what is counted while it is built
    std::size_t kept() const;
    std::size_t scratch() const;
    std::size_t total() const { return kept() + scratch(); }
};
GramSizes gram_sizes(std::size_t rows, std::size_t features);
/// Cuts one block of `gram_sizes(…).total()` doubles into the parts, first what is kept.
GramMemory gram_memory(std::span<double> block, std::size_t rows, std::size_t features);

/// Builds the Gram. Collective over the share, with the same shapes and memory: its ranks wait for
/// each other's parts, so that what `from.read` throws on one it must throw on all. `from.read` is
/// called by every rank for every slab. Afterwards, on every rank, the memory holds the result.
/// Throws `core::InputError`, on every rank, if a feature is NaN or infinite (its Gram would be);
/// `odd_feature.hpp` finds it. Of every `slabs_at_once` slabs in turn all are valid until the next
/// ones are read, so that the ranks wait for each other only then; the bits are the same.
void build_gram(const StreamedFeatures& from, const GramMemory& memory, core::Workers& workers,
                const TeamShare& share, std::size_t slabs_at_once = 1);

/// The lower triangle, row by row: rows (rows + 1) / 2 doubles.
std::vector<double> pack_triangle(std::span<const double> kernel, std::size_t rows);
void unpack_triangle(std::span<const double> packed, std::size_t rows, std::span<double> kernel);

}  // namespace ventral::stats

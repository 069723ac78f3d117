#include "stats/gram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <cblas.h>

#include "core/errors.hpp"
#include "stats/centred_features.hpp"
#include "stats/matrix.hpp"

namespace ventral::stats {
namespace {

struct Tile {
    std::size_t row, column, rows, columns;
};

std::vector<Tile> lower_tiles(std::size_t rows) {
    const std::size_t edge = gram_tile(rows);
    std::vector<Tile> tiles;
    for (std::size_t i = 0; i < rows; i += edge)
        for (std::size_t j = 0; j <= i; j += edge)
            tiles.push_back({i, j, std::min(edge, rows - i), std::min(edge, rows - j)});
    return tiles;
}

/// Runs the tasks of this rank: every size-th one, beginning with its own number.
void share_out(std::size_t count, core::Workers& workers, const TeamShare& share,
               const std::function<void(std::size_t)>& task) {
    if (share.rank >= count) return;
    const std::size_t mine = (count - share.rank + share.size - 1) / share.size;
    workers.parallel_for(mine, [&](std::size_t i) { task(share.rank + i * share.size); });
}

/// The row's part in everything that is kept beside K, in one pass with the lanes of `stats::sum`.
template <typename T>
void add_row_statistics(const T* from, std::span<const double> centred,
                        std::span<const double> mean, std::size_t row, const GramMemory& memory) {
    constexpr std::size_t lanes = 8;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, lanes> products{};
    std::array<double, lanes> sums{};
    std::array<double, lanes> least;
    std::array<double, lanes> largest;
    least.fill(infinity);
    largest.fill(-infinity);
    for (std::size_t j = 0; j < centred.size(); j += lanes) {
        const std::size_t count = std::min(lanes, centred.size() - j);
        const auto add = [&](std::size_t lane) {
            const auto value = static_cast<double>(from[j + lane]);
            products[lane] += centred[j + lane] * mean[j + lane];
            sums[lane] += value;
            least[lane] = std::min(least[lane], value);
            largest[lane] = std::max(largest[lane], value);
        };
        if (count == lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane) add(lane);
        else
            for (std::size_t lane = 0; lane < count; ++lane) add(lane);
    }
    memory.centred_times_mean[row] += sum(products);
    memory.row_sums[row] += sum(sums);
    const auto extremes = memory.row_extremes.subspan(2 * row, 2);
    extremes[0] = std::min(extremes[0], *std::min_element(least.begin(), least.end()));
    extremes[1] = std::max(extremes[1], *std::max_element(largest.begin(), largest.end()));
}

/// Adds slab · slabᵀ to a tile; of a tile on the diagonal only to its lower triangle. The products
/// are made of pieces that are about as long as BLAS packs at a time: faster than one long one.
void add_tile(const Tile& tile, std::span<const double> slab, std::size_t width,
              std::span<double> kernel, std::size_t rows) {
    constexpr std::size_t piece = 512;
    const auto size = [](std::size_t n) { return static_cast<int>(n); };
    // The slab is row-major rows × width, that is column-major width × rows: tile = Aᵀ B.
    double* to = kernel.data() + tile.column * rows + tile.row;
    for (std::size_t first = 0; first < width; first += piece) {
        const std::size_t length = std::min(piece, width - first);
        const double* a = slab.data() + tile.row * width + first;
        const double* b = slab.data() + tile.column * width + first;
        if (tile.row == tile.column)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, size(tile.rows), size(length), 1.0,
                        a, size(width), 1.0, to, size(rows));
        else
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, size(tile.rows),
                        size(tile.columns), size(length), 1.0, a, size(width), b, size(width), 1.0,
                        to, size(rows));
    }
}

/// Copies the tile's part below the diagonal to the part above, in squares that stay in the cache.
void mirror_tile(const Tile& tile, std::span<double> kernel, std::size_t rows) {
    constexpr std::size_t edge = 32;
    const std::size_t row_end = tile.row + tile.rows;
    const std::size_t column_end = tile.column + tile.columns;
    for (std::size_t first_row = tile.row; first_row < row_end; first_row += edge)
        for (std::size_t first = tile.column; first < column_end; first += edge)
            for (std::size_t j = first; j < std::min(first + edge, column_end); ++j)
                for (std::size_t i = std::max(first_row, j + 1);
                     i < std::min(first_row + edge, row_end); ++i)
                    kernel[i * rows + j] = kernel[j * rows + i];
}

/// The steps on one slab, which `build_gram` calls between barriers.
class SlabStep {
public:
    SlabStep(const FeatureMatrix& source, const GramMemory& memory, std::size_t buffer)
        : source_(source),
          memory_(memory),
          slab_(memory.slabs[buffer]),
          mean_(memory.means[buffer]) {}

    void centre(std::size_t block) const { centre_block(source_, block, mean_, slab_); }

    void add(const Tile& tile) const {
        add_tile(tile, slab_, source_.features, memory_.kernel, source_.rows);
        if (tile.row != tile.column) return;
        for (std::size_t row = tile.row; row < tile.row + tile.rows; ++row) add_row(row);
    }

private:
    void add_row(std::size_t row) const {
        const std::size_t width = source_.features;
        std::visit(
            [&](const auto& values) {
                add_row_statistics(values.data() + row * source_.stride,
                                   slab_.subspan(row * width, width), mean_.first(width), row,
                                   memory_);
            },
            source_.values);
    }

    const FeatureMatrix& source_;
    const GramMemory& memory_;
    std::span<double> slab_;
    std::span<double> mean_;
};

void check_finite(const GramMemory& memory, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row)
        if (!std::isfinite(memory.kernel[row * rows + row]) || !std::isfinite(memory.row_sums[row]))
            throw core::InputError("the features of row " + std::to_string(row) +
                                   " (or a feature's mean over all rows) are NaN or infinite");
}

}  // namespace

FeatureMatrix columns_of(const FeatureMatrix& matrix, std::size_t first, std::size_t count) {
    FeatureMatrix part{{}, matrix.rows, count, matrix.stride};
    std::visit([&](const auto& values) { part.values = values.subspan(first); }, matrix.values);
    return part;
}

std::size_t gram_tile(std::size_t rows) {
    if (rows >= 2048) return 512;
    return rows >= 1024 ? 256 : 128;
}

std::size_t GramSizes::total() const {
    return kernel + 2 * slab + 2 * mean + 2 * row + extremes + 1;
}

GramSizes gram_sizes(std::size_t rows, std::size_t features) {
    const std::size_t width = std::min(features, slab_features);
    return {rows * rows, rows * width, width, rows, 2 * rows};
}

GramMemory gram_memory(std::span<double> block, std::size_t rows, std::size_t features) {
    const GramSizes sizes = gram_sizes(rows, features);
    const auto cut = [&](std::size_t size) {
        const auto part = block.first(size);
        block = block.subspan(size);
        return part;
    };
    GramMemory memory;
    memory.kernel = cut(sizes.kernel);
    for (auto& slab : memory.slabs) slab = cut(sizes.slab);
    for (auto& mean : memory.means) mean = cut(sizes.mean);
    memory.centred_times_mean = cut(sizes.row);
    memory.row_sums = cut(sizes.row);
    memory.row_extremes = cut(sizes.extremes);
    memory.mean_squared = cut(1);
    return memory;
}

void build_gram(std::size_t rows, std::size_t features, const ReadSlab& read,
                const GramMemory& memory, core::Workers& workers, const TeamShare& share) {
    const auto tiles = lower_tiles(rows);
    if (share.rank == 0)
        for (std::size_t row = 0; row < rows; ++row) {
            memory.row_extremes[2 * row] = std::numeric_limits<double>::infinity();
            memory.row_extremes[2 * row + 1] = -std::numeric_limits<double>::infinity();
        }
    share.barrier();
    // Two slabs in turn: a rank that has finished its tiles of one may centre the next while others
    // still multiply; it reaches the buffer after that only once everybody has passed the barrier.
    std::size_t buffer = 0;
    for (std::size_t first = 0; first < features; first += slab_features, buffer = 1 - buffer) {
        const std::size_t width = std::min(slab_features, features - first);
        const FeatureMatrix source = read(first, width);
        const SlabStep step(source, memory, buffer);
        share_out(centred_blocks(width), workers, share,
                  [&](std::size_t block) { step.centre(block); });
        share.barrier();
        if (share.rank == 0) {
            const auto mean = memory.means[buffer].first(width);
            memory.mean_squared[0] += dot(mean, mean);
        }
        share_out(tiles.size(), workers, share, [&](std::size_t t) { step.add(tiles[t]); });
    }
    share.barrier();
    share_out(tiles.size(), workers, share,
              [&](std::size_t t) { mirror_tile(tiles[t], memory.kernel, rows); });
    share.barrier();
    check_finite(memory, rows);
}

std::vector<double> pack_triangle(std::span<const double> kernel, std::size_t rows) {
    std::vector<double> packed;
    packed.reserve(rows * (rows + 1) / 2);
    for (std::size_t i = 0; i < rows; ++i)
        packed.insert(packed.end(), kernel.begin() + static_cast<std::ptrdiff_t>(i * rows),
                      kernel.begin() + static_cast<std::ptrdiff_t>(i * rows + i + 1));
    return packed;
}

void unpack_triangle(std::span<const double> packed, std::size_t rows, std::span<double> kernel) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            kernel[i * rows + j] = packed[next];
            kernel[j * rows + i] = packed[next++];
        }
}

}  // namespace ventral::stats

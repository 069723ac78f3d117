#include "stats/gram.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.hpp"
#include "stats/centred_features.hpp"
#include "stats/gram_parts.hpp"
#include "stats/matrix.hpp"
#include "stats/panel_progress.hpp"
#include "stats/row_strips.hpp"
#include "stats/strip_products.hpp"

namespace ventral::stats {
namespace {

static_assert(slab_features % panel_features == 0);
static_assert(panel_features % summed_features == 0);

/// A part of the lower triangle of K, in strips.
struct Tile {
    StripRange rows, columns;
};

bool on_diagonal(const Tile& tile) { return tile.rows.first == tile.columns.first; }

double cost(const Tile& tile) {
    return static_cast<double>(tile.rows.end - tile.rows.first) *
           static_cast<double>(tile.columns.end - tile.columns.first) *
           (on_diagonal(tile) ? 0.6 : 1.0);
}

std::size_t lower_tile_count(std::size_t rows) {
    const std::size_t edge = gram_tile(rows) / strip_rows;
    const std::size_t edges = (strips_of(rows) + edge - 1) / edge;
    return edges * (edges + 1) / 2;
}

/// The longest first.
std::vector<Tile> lower_tiles(std::size_t rows) {
    const std::size_t edge = gram_tile(rows) / strip_rows;
    const std::size_t strips = strips_of(rows);
    const auto range = [&](std::size_t first) {
        return StripRange{first, std::min(first + edge, strips)};
    };
    std::vector<Tile> tiles;
    tiles.reserve(lower_tile_count(rows));
    for (std::size_t j = 0; j < strips; j += edge)
        for (std::size_t i = j; i < strips; i += edge) tiles.push_back({range(i), range(j)});
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const Tile& a, const Tile& b) { return cost(a) > cost(b); });
    return tiles;
}

constexpr std::size_t doubles_a_line = 8;
constexpr std::size_t started_counts = 2;

std::size_t whole_lines(std::size_t doubles) {
    return (doubles + doubles_a_line - 1) / doubles_a_line * doubles_a_line;
}

/// Copies the tile's part below the diagonal to the part above, in squares that stay in the cache.
void mirror_tile(const Tile& tile, std::span<double> kernel, std::size_t rows) {
    constexpr std::size_t edge = 32;
    const std::size_t row_end = std::min(tile.rows.end * strip_rows, rows);
    const std::size_t column_end = std::min(tile.columns.end * strip_rows, rows);
    for (std::size_t first_row = tile.rows.first * strip_rows; first_row < row_end;
         first_row += edge)
        for (std::size_t first = tile.columns.first * strip_rows; first < column_end; first += edge)
            for (std::size_t j = first; j < std::min(first + edge, column_end); ++j)
                for (std::size_t i = std::max(first_row, j + 1);
                     i < std::min(first_row + edge, row_end); ++i)
                    kernel[i * rows + j] = kernel[j * rows + i];
}

using Tasks = std::vector<std::function<void()>>;

/// Tasks in their order, each to whichever worker of whichever rank is free.
class Dealer {
public:
    Dealer(std::span<std::uint64_t> started, core::Workers& workers, const TeamShare& share)
        : started_(started), workers_(workers), share_(share) {}

    /// Runs the same tasks on all ranks together; returns once all are done.
    void run(const Tasks& tasks) {
        const std::atomic_ref started(started_[step_ % 2]);
        // Nobody is in the step before any more, and nobody in the next one yet.
        if (share_.rank == 0) std::atomic_ref(started_[(step_ + 1) % 2]).store(0);
        workers_.parallel_for(std::min(workers_.threads(), tasks.size()), [&](std::size_t) {
            for (auto i = started.fetch_add(1); i < tasks.size(); i = started.fetch_add(1))
                tasks[i]();
        });
        ++step_;
        share_.barrier();
    }

private:
    std::span<std::uint64_t> started_;
    core::Workers& workers_;
    const TeamShare& share_;
    std::size_t step_ = 0;
};

/// The tasks of the panels, which take the buffers in turn.
class PanelTasks {
public:
    PanelTasks(std::size_t rows, std::size_t features, const GramMemory& memory)
        : rows_(rows),
          features_(features),
          memory_(memory),
          tiles_(lower_tiles(rows)),
          progress_(memory.centred, memory.added,
                    centred_blocks(std::min(features, panel_features))) {}

    std::size_t panels() const { return (features_ + panel_features - 1) / panel_features; }
    std::size_t width(std::size_t panel) const {
        return std::min(panel_features, features_ - panel * panel_features);
    }

    void centre(std::size_t panel, const FeatureMatrix& source, Tasks& tasks) const {
        for (std::size_t block = 0; block < centred_blocks(source.features); ++block)
            tasks.push_back([=, this] {
                progress_.wait_until_free(panel);
                centre_block(source, block, centred(panel), parts(panel, block));
                progress_.note_centred(panel);
            });
    }

    void multiply(std::size_t panel, Tasks& tasks) const {
        for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
            tasks.push_back([=, this] { add_to(tile, panel, [&] { add(panel, tiles_[tile]); }); });
        tasks.push_back([=, this] {
            add_to(tiles_.size(), panel, [&] {
                const auto means = centred(panel).means;
                memory_.mean_squared[0] += dot(means, means);
            });
        });
    }

    void mirror(Tasks& tasks) const {
        for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
            tasks.push_back([=, this] {
                progress_.wait_until_added(tile, panels());
                mirror_tile(tiles_[tile], memory_.kernel, rows_);
            });
    }

private:
    static std::size_t buffer(std::size_t panel) { return panel % panels_in_work; }
    RowStrips centred(std::size_t panel) const {
        return {memory_.panels[buffer(panel)], std::min(features_, panel_features),
                memory_.means[buffer(panel)].first(width(panel))};
    }
    std::span<double> parts(std::size_t panel, std::size_t block) const {
        const std::size_t size = rows_ * row_statistics;
        return memory_.row_parts[buffer(panel)].subspan(block * size, size);
    }

    /// Adds a panel that is centred to what has all panels before it.
    template <typename Add>
    void add_to(std::size_t tile, std::size_t panel, const Add& add) const {
        progress_.wait_until_centred(panel, centred_blocks(width(panel)));
        progress_.wait_until_added(tile, panel);
        add();
        progress_.note_added(tile);
    }

    void add(std::size_t panel, const Tile& tile) const {
        add_strip_products(centred(panel), tile.rows, tile.columns, memory_.kernel, rows_, with_);
        if (!on_diagonal(tile)) return;
        const std::size_t row_end = std::min(tile.rows.end * strip_rows, rows_);
        for (std::size_t block = 0; block < centred_blocks(width(panel)); ++block)
            for (std::size_t row = tile.rows.first * strip_rows; row < row_end; ++row)
                add_row(row, parts(panel, block).subspan(row * row_statistics, row_statistics));
    }

    void add_row(std::size_t row, std::span<const double> part) const {
        memory_.centred_times_mean[row] += part[0];
        memory_.row_sums[row] += part[1];
        const auto extremes = memory_.row_extremes.subspan(2 * row, 2);
        extremes[0] = std::min(extremes[0], part[2]);
        extremes[1] = std::max(extremes[1], part[3]);
    }

    std::size_t rows_;
    std::size_t features_;
    const GramMemory& memory_;
    std::vector<Tile> tiles_;
    StripKernel with_ = best_strip_kernel();
    PanelProgress progress_;
};

/// What is zero, or nothing yet, before the first panel.
void clear(const GramMemory& memory) {
    for (const auto& counts : {memory.started, memory.centred, memory.added})
        std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t row = 0; row < memory.row_extremes.size() / 2; ++row) {
        memory.row_extremes[2 * row] = std::numeric_limits<double>::infinity();
        memory.row_extremes[2 * row + 1] = -std::numeric_limits<double>::infinity();
    }
}

void check_finite(const GramMemory& memory, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row)
        if (!std::isfinite(memory.kernel[row * rows + row]) || !std::isfinite(memory.row_sums[row]))
            throw core::InputError(
                "features are NaN or infinite (or so large that their squares are)");
}

}  // namespace

FeatureMatrix columns_of(const FeatureMatrix& matrix, std::size_t first, std::size_t count) {
    FeatureMatrix part{{}, matrix.rows, count, matrix.stride};
    std::visit([&](const auto& values) { part.values = values.subspan(first); }, matrix.values);
    return part;
}

std::size_t gram_tile(std::size_t rows) { return rows < 1024 ? 96 : 192; }

std::size_t GramSizes::kept() const { return whole_lines(kernel + 2 * row + extremes + 1); }

std::size_t GramSizes::scratch() const {
    return panels_in_work * (panel + mean + row_parts) + counts;
}

GramSizes gram_sizes(std::size_t rows, std::size_t features) {
    const std::size_t width = std::min(features, panel_features);
    GramSizes sizes;
    sizes.kernel = rows * rows;
    sizes.row = rows;
    sizes.extremes = 2 * rows;
    sizes.panel = strips_of(rows) * strip_rows * width;
    sizes.mean = width;
    sizes.row_parts = rows * row_statistics * centred_blocks(width);
    sizes.counts = started_counts + panels_in_work + lower_tile_count(rows) + 1;
    return sizes;
}

GramMemory gram_memory(std::span<double> block, std::size_t rows, std::size_t features) {
    const GramSizes sizes = gram_sizes(rows, features);
    return gram_parts(block.first(sizes.kept()), block.subspan(sizes.kept(), sizes.scratch()), rows,
                      features);
}

GramMemory gram_parts(std::span<double> kept, std::span<double> scratch, std::size_t rows,
                      std::size_t features) {
    const GramSizes sizes = gram_sizes(rows, features);
    const auto cut = [](std::span<double>& block, std::size_t size) {
        const auto part = block.first(size);
        block = block.subspan(size);
        return part;
    };
    GramMemory memory;
    memory.kernel = cut(kept, sizes.kernel);
    memory.centred_times_mean = cut(kept, sizes.row);
    memory.row_sums = cut(kept, sizes.row);
    memory.row_extremes = cut(kept, sizes.extremes);
    memory.mean_squared = cut(kept, 1);
    for (auto& panel : memory.panels) panel = cut(scratch, sizes.panel);
    for (auto& mean : memory.means) mean = cut(scratch, sizes.mean);
    for (auto& parts : memory.row_parts) parts = cut(scratch, sizes.row_parts);
    const std::span counts(reinterpret_cast<std::uint64_t*>(scratch.data()), sizes.counts);
    memory.started = counts.first(started_counts);
    memory.centred = counts.subspan(started_counts, panels_in_work);
    memory.added = counts.subspan(started_counts + panels_in_work);
    return memory;
}

void build_gram(std::size_t rows, std::size_t features, const ReadSlab& read,
                const GramMemory& memory, core::Workers& workers, const TeamShare& share,
                std::size_t slabs_at_once) {
    if (share.rank == 0) clear(memory);
    share.barrier();
    const PanelTasks panels(rows, features, memory);
    Dealer dealer(memory.started, workers, share);
    FeatureMatrix slab;
    Tasks tasks;
    for (std::size_t panel = 0; panel < panels.panels(); ++panel) {
        const std::size_t first = panel * panel_features;
        const std::size_t in_slab = first % slab_features;
        if (in_slab == 0) {
            // Nobody centres a group of slabs any more when the next but one takes its place.
            if (panel > 0 && first / slab_features % slabs_at_once == 0)
                dealer.run(std::exchange(tasks, {}));
            slab = read(first, std::min(slab_features, features - first));
        }
        panels.centre(panel, columns_of(slab, in_slab, panels.width(panel)), tasks);
        if (panel > 0) panels.multiply(panel - 1, tasks);
    }
    if (features > 0) panels.multiply(panels.panels() - 1, tasks);
    panels.mirror(tasks);
    dealer.run(tasks);
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

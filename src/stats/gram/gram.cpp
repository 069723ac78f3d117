#include "stats/gram/gram.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/gram/gram_parts.hpp"
#include "stats/gram/gram_tiles.hpp"
#include "stats/gram/panel_progress.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/gram/row_strips.hpp"
#include "stats/gram/sparse_products.hpp"
#include "stats/gram/sparse_rows.hpp"
#include "stats/gram/strip_products.hpp"
#include "stats/linear_algebra/matrix.hpp"

namespace ventral::stats {
namespace {

static_assert(slab_features % panel_features == 0);
static_assert(panel_features % summed_features == 0);

void add_row(std::size_t row, std::span<const double> part, const LaneSums& sums) {
    RowTotals{sums.centred_times_mean, sums.row_sums, sums.row_extremes}.add(row, part);
}

/// All but the kernel.
void add_rows(const LaneSums& more, const LaneSums& sums) {
    for (std::size_t row = 0; row < sums.row_sums.size(); ++row)
        add_row(row,
                std::array{more.centred_times_mean[row], more.row_sums[row],
                           more.row_extremes[2 * row], more.row_extremes[2 * row + 1]},
                sums);
    sums.mean_squared[0] += more.mean_squared[0];
}

using Tasks = std::vector<std::function<void()>>;
using LaneTasks = std::array<Tasks, most_gram_lanes>;

/// The tasks of each lane in their order, each to whichever worker of whichever rank is free: first
/// to those that keep to the lane, then also to those that have none left in theirs.
class Dealer {
public:
    Dealer(std::span<std::uint64_t> started, std::size_t lanes, core::Workers& workers,
           const TeamShare& share)
        : started_(started), lanes_(lanes), workers_(workers), share_(share) {}

    /// Runs the same tasks on all ranks together; returns once all are done.
    void run(const LaneTasks& tasks) {
        const auto counts = started_.subspan(step_ % 2 * most_gram_lanes, most_gram_lanes);
        const auto next = started_.subspan((step_ + 1) % 2 * most_gram_lanes, most_gram_lanes);
        // Nobody is in the step before any more, and nobody in the next one yet.
        if (share_.rank == 0)
            for (auto& count : next) std::atomic_ref(count).store(0);
        const std::size_t first = share_.rank * workers_.threads();
        workers_.parallel_for(workers_.threads(), [&](std::size_t worker) {
            for (std::size_t turn = 0; turn < lanes_; ++turn) {
                const std::size_t lane = (first + worker + turn) % lanes_;
                const std::atomic_ref started(counts[lane]);
                for (auto i = started.fetch_add(1); i < tasks[lane].size();
                     i = started.fetch_add(1))
                    tasks[lane][i]();
            }
        });
        ++step_;
        share_.barrier();
    }

private:
    std::span<std::uint64_t> started_;
    std::size_t lanes_;
    core::Workers& workers_;
    const TeamShare& share_;
    std::size_t step_ = 0;
};

/// The tasks of the panels. Those of a lane take its buffers in turn.
class PanelTasks {
public:
    PanelTasks(std::size_t rows, std::size_t features, const GramMemory& memory)
        : rows_(rows),
          features_(features),
          memory_(memory),
          tiles_(lower_tiles(rows)),
          lanes_(gram_lanes(rows)),
          buffers_(panels_in_work(rows) / lanes_) {
        const std::size_t counts = tiles_.size() + 1;
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            sums_.push_back(sums_of(memory, lane));
            progress_.push_back({memory.centred.subspan(lane * buffers_, buffers_),
                                 memory.added.subspan(lane * counts, counts),
                                 centred_blocks(std::min(features, panel_features))});
        }
    }

    std::size_t lanes() const { return lanes_; }
    std::size_t panels() const { return core::ceil_divide(features_, panel_features); }
    std::size_t width(std::size_t panel) const {
        return std::min(panel_features, features_ - panel * panel_features);
    }

    void centre(std::size_t panel, const FeatureMatrix& source, LaneTasks& tasks) const {
        for (std::size_t block = 0; block < centred_blocks(source.features); ++block)
            tasks[lane(panel)].push_back([=, this] {
                progress(panel).wait_until_free(place(panel));
                centre_block(source, panel, block);
                progress(panel).note_centred(place(panel));
            });
    }

    void multiply(std::size_t panel, LaneTasks& tasks) const {
        for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
            tasks[lane(panel)].push_back(
                [=, this] { add_to(tile, panel, [&] { add(panel, tiles_[tile]); }); });
        tasks[lane(panel)].push_back([=, this] {
            add_to(tiles_.size(), panel, [&] {
                const auto means = centred(panel).means;
                sums_[lane(panel)].mean_squared[0] += dot(means, means);
            });
        });
    }

    /// Once all panels are added.
    void finish(LaneTasks& tasks) const {
        for (const auto& tile : tiles_)
            tasks[0].push_back([=, this] {
                for (std::size_t lane = 1; lane < lanes_; ++lane)
                    add_tile(tile, sums_[lane].kernel, memory_.kernel, rows_);
                mirror_tile(tile, memory_.kernel, rows_);
            });
        for (std::size_t lane = 1; lane < lanes_; ++lane)
            tasks[0].push_back([=, this] { add_rows(sums_[lane], sums_[0]); });
    }

private:
    std::size_t lane(std::size_t panel) const { return panel % lanes_; }
    std::size_t place(std::size_t panel) const { return panel / lanes_; }  // in its lane
    const PanelProgress& progress(std::size_t panel) const { return progress_[lane(panel)]; }
    std::size_t buffer(std::size_t panel) const {
        return lane(panel) * buffers_ + place(panel) % buffers_;
    }
    RowStrips centred(std::size_t panel) const {
        return {memory_.panels[buffer(panel)], std::min(features_, panel_features),
                memory_.means[buffer(panel)].first(width(panel))};
    }
    std::span<double> parts(std::size_t panel, std::size_t block) const {
        const std::size_t size = rows_ * statistics_a_row;
        return memory_.row_parts[buffer(panel)].subspan(block * size, size);
    }
    SparseRows lists(std::size_t panel, std::size_t block) const {
        const std::size_t most = std::min(features_, panel_features);
        const std::size_t size = SparseRows::size(rows_, most);
        return {memory_.sparse_rows[buffer(panel)].subspan(block * size, size), rows_, most};
    }

    // The sparse features of a panel's two blocks are at its ends, all others in the middle.
    void centre_block(const FeatureMatrix& source, std::size_t panel, std::size_t block) const {
        const auto place = block == 0 ? SparsePlace::front : SparsePlace::back;
        const std::size_t first = block * centred_block;
        const std::size_t count = std::min(centred_block, source.features - first);
        const FeatureMatrix columns = columns_of(source, first, count);
        const BlockLayout layout = layout_of_block(columns, place);
        const RowStrips to = centred(panel);
        stats::centre_block(source, block, layout, to, parts(panel, block));
        lists(panel, block).fill(columns, layout, first, to.means.subspan(first, count));
    }

    /// Adds a panel that is centred to what has all panels of its lane before it.
    template <typename Add>
    void add_to(std::size_t tile, std::size_t panel, const Add& add) const {
        progress(panel).wait_until_centred(place(panel), centred_blocks(width(panel)));
        progress(panel).wait_until_added(tile, place(panel));
        add();
        progress(panel).note_added(tile);
    }

    void add(std::size_t panel, const Tile& tile) const {
        const auto& sums = sums_[lane(panel)];
        const RowStrips strips = centred(panel);
        const KernelTile to = {tile.rows, tile.columns, sums.kernel, rows_};
        const std::size_t blocks = centred_blocks(width(panel));
        std::size_t first = lists(panel, 0).features();
        std::size_t end = width(panel);
        if (blocks > 1) end -= lists(panel, 1).features();
        if (first < end) add_strip_products(strips.columns(first, end - first), to, with_);
        for (std::size_t block = 0; block < blocks; ++block) {
            const auto of_block = lists(panel, block);
            if (of_block.features() > 0) add_sparse_products(of_block, strips, to, with_);
        }
        if (!on_diagonal(tile)) return;
        const std::size_t row_end = std::min(tile.rows.end * strip_rows, rows_);
        for (std::size_t block = 0; block < blocks; ++block)
            for (std::size_t row = tile.rows.first * strip_rows; row < row_end; ++row)
                add_row(row, parts(panel, block).subspan(row * statistics_a_row, statistics_a_row),
                        sums);
    }

    std::size_t rows_;
    std::size_t features_;
    const GramMemory& memory_;
    std::vector<Tile> tiles_;
    std::size_t lanes_;
    std::size_t buffers_;  // of a lane
    StripKernel with_ = best_strip_kernel();
    std::vector<LaneSums> sums_;
    std::vector<PanelProgress> progress_;
};

/// What is zero, or nothing yet, before the first panel.
void clear(const GramMemory& memory, std::size_t lanes) {
    for (const auto& counts : {memory.started, memory.centred, memory.added})
        std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto sums = sums_of(memory, lane);
        RowTotals{sums.centred_times_mean, sums.row_sums, sums.row_extremes}.clear();
    }
}

void check_finite(const GramMemory& memory, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row)
        if (!std::isfinite(memory.kernel[row * rows + row]) || !std::isfinite(memory.row_sums[row]))
            throw core::InputError(not_finite_text);
}

}  // namespace

FeatureMatrix columns_of(const FeatureMatrix& matrix, std::size_t first, std::size_t count) {
    FeatureMatrix part{{}, matrix.rows, count, matrix.stride};
    std::visit([&](const auto& values) { part.values = values.subspan(first); }, matrix.values);
    return part;
}

void build_gram(const StreamedFeatures& from, const GramMemory& memory, core::Workers& workers,
                const TeamShare& share, std::size_t slabs_at_once) {
    const PanelTasks panels(from.rows, from.features, memory);
    const std::size_t lanes = panels.lanes();
    if (share.rank == 0) clear(memory, lanes);
    share.barrier();
    Dealer dealer(memory.started, lanes, workers, share);
    FeatureMatrix slab;
    LaneTasks tasks;
    for (std::size_t panel = 0; panel < panels.panels(); ++panel) {
        const std::size_t first = panel * panel_features;
        const std::size_t in_slab = first % slab_features;
        if (in_slab == 0) {
            // Nobody centres a group of slabs any more when the next but one takes its place.
            if (panel > 0 && first / slab_features % slabs_at_once == 0)
                dealer.run(std::exchange(tasks, {}));
            slab = from.read(first, std::min(slab_features, from.features - first));
        }
        panels.centre(panel, columns_of(slab, in_slab, panels.width(panel)), tasks);
        if (panel >= lanes) panels.multiply(panel - lanes, tasks);
    }
    for (std::size_t left = std::min(lanes, panels.panels()); left > 0; --left)
        panels.multiply(panels.panels() - left, tasks);
    dealer.run(std::exchange(tasks, {}));
    panels.finish(tasks);
    dealer.run(tasks);
    check_finite(memory, from.rows);
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

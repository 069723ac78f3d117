#include "stats/gram/gram_parts.hpp"

#include <algorithm>

#include "stats/gram/centred_features.hpp"
#include "stats/gram/gram_tiles.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/gram/row_strips.hpp"
#include "stats/gram/sparse_rows.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"

namespace ventral::stats {
namespace {

/// Fewer are multiplied so quickly that small tiles and lanes of their own are worth it.
constexpr std::size_t many_rows = 1024;

constexpr std::size_t started_counts = 2 * most_gram_lanes;

}  // namespace

std::size_t gram_tile(std::size_t rows) { return rows < many_rows ? 96 : 192; }

std::size_t gram_lanes(std::size_t rows) { return rows < many_rows ? 2 : 1; }

std::size_t panels_in_work(std::size_t rows) { return 3 * gram_lanes(rows); }

std::size_t GramSizes::kept() const { return whole_lines(kernel + 2 * row + extremes + 1); }

std::size_t GramSizes::scratch() const {
    return panels * (panel + mean + row_parts + sparse_rows) + second_lane + counts;
}

GramSizes gram_sizes(std::size_t rows, std::size_t features) {
    const std::size_t width = std::min(features, panel_features);
    GramSizes sizes;
    sizes.kernel = rows * rows;
    sizes.row = rows;
    sizes.extremes = 2 * rows;
    sizes.panel = strips_of(rows) * strip_rows * width;
    sizes.mean = width;
    sizes.row_parts = rows * statistics_a_row * centred_blocks(width);
    sizes.sparse_rows = SparseRows::size(rows, width) * centred_blocks(width);
    const std::size_t lanes = gram_lanes(rows);
    sizes.panels = panels_in_work(rows);
    sizes.second_lane = (lanes - 1) * (sizes.kernel + 2 * sizes.row + sizes.extremes + 1);
    sizes.counts = started_counts + sizes.panels + lanes * (lower_tile_count(rows) + 1);
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
    GramMemory memory;
    memory.kernel = take_front(kept, sizes.kernel);
    memory.centred_times_mean = take_front(kept, sizes.row);
    memory.row_sums = take_front(kept, sizes.row);
    memory.row_extremes = take_front(kept, sizes.extremes);
    memory.mean_squared = take_front(kept, 1);
    const auto take_each = [&](std::span<double>* buffers, std::size_t size) {
        for (std::size_t i = 0; i < sizes.panels; ++i) buffers[i] = take_front(scratch, size);
    };
    take_each(memory.panels, sizes.panel);
    take_each(memory.means, sizes.mean);
    take_each(memory.row_parts, sizes.row_parts);
    take_each(memory.sparse_rows, sizes.sparse_rows);
    memory.second_lane = take_front(scratch, sizes.second_lane);
    const std::span counts(reinterpret_cast<std::uint64_t*>(scratch.data()), sizes.counts);
    memory.started = counts.first(started_counts);
    memory.centred = counts.subspan(started_counts, sizes.panels);
    memory.added = counts.subspan(started_counts + sizes.panels);
    return memory;
}

LaneSums sums_of(const GramMemory& memory, std::size_t lane) {
    if (lane == 0)
        return {memory.kernel, memory.centred_times_mean, memory.row_sums, memory.row_extremes,
                memory.mean_squared};
    auto rest = memory.second_lane;
    const auto same_size = [&](std::span<double> as) { return take_front(rest, as.size()); };
    LaneSums sums;
    sums.kernel = same_size(memory.kernel);
    sums.centred_times_mean = same_size(memory.centred_times_mean);
    sums.row_sums = same_size(memory.row_sums);
    sums.row_extremes = same_size(memory.row_extremes);
    sums.mean_squared = same_size(memory.mean_squared);
    return sums;
}

}  // namespace ventral::stats

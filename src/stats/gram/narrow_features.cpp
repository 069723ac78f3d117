#include "stats/gram/narrow_features.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/errors.hpp"
#include "stats/gram/centred_features.hpp"
#include "stats/gram/row_statistics.hpp"
#include "stats/linear_algebra/aligned_numbers.hpp"

namespace ventral::stats {
namespace {

/// Rows of a feature that are written together: they are a cache line.
constexpr std::size_t rows_at_once = 8;

/// One block of a slab, whose means go to `means`, its centred columns to `to`, and what is kept of
/// each row to `parts`.
template <typename T>
void centre_columns(const T* from, const FeatureMatrix& slab, std::span<double> means, double* to,
                    double* parts) {
    mean_of_columns(from, slab, means);
    for (std::size_t row = 0; row < slab.rows; row += rows_at_once) {
        const std::size_t end = std::min(row + rows_at_once, slab.rows);
        for (std::size_t j = 0; j < means.size(); ++j)
            for (std::size_t i = row; i < end; ++i)
                to[j * slab.rows + i] = static_cast<double>(from[i * slab.stride + j]) - means[j];
        for (std::size_t i = row; i < end; ++i) {
            const auto of_row = statistics_of_row(from + i * slab.stride, means);
            std::copy(of_row.begin(), of_row.end(), parts + i * statistics_a_row);
        }
    }
}

RowTotals totals_of(const NarrowMemory& memory) {
    return {memory.centred_times_mean, memory.row_sums, memory.row_extremes};
}

void check_finite(const NarrowMemory& memory) {
    const auto rows = memory.row_sums.size();
    const auto n = static_cast<Eigen::Index>(rows);
    const MatrixView centred(memory.features.data(), n,
                             static_cast<Eigen::Index>(memory.features.size()) / n);
    const Vector squares = Kernel::of_features(centred).diagonal();
    for (std::size_t i = 0; i < rows; ++i)
        if (!std::isfinite(squares(static_cast<Eigen::Index>(i))) ||
            !std::isfinite(memory.row_sums[i]))
            throw core::InputError(not_finite_text);
}

/// The ranks take its blocks in turn.
void centre_slab(const FeatureMatrix& slab, std::size_t first, const NarrowMemory& memory,
                 core::Workers& workers, const TeamShare& team) {
    const std::size_t blocks = centred_blocks(slab.features);
    const std::size_t own = (blocks + team.size - 1 - team.rank) / team.size;
    workers.parallel_for(own, [&](std::size_t i) {
        const std::size_t block = team.rank + i * team.size;
        const std::size_t begin = block * centred_block;
        const std::size_t count = std::min(centred_block, slab.features - begin);
        std::visit(
            [&](const auto& values) {
                centre_columns(values.data() + begin, slab, memory.means.subspan(begin, count),
                               memory.features.data() + (first + begin) * slab.rows,
                               memory.row_parts.data() + block * slab.rows * statistics_a_row);
            },
            slab.values);
    });
}

void add_slab(const FeatureMatrix& slab, const NarrowMemory& memory) {
    const auto totals = totals_of(memory);
    for (std::size_t part = 0; part < centred_blocks(slab.features) * slab.rows; ++part)
        totals.add(part % slab.rows,
                   memory.row_parts.subspan(part * statistics_a_row, statistics_a_row));
    const std::span<const double> means = memory.means.first(slab.features);
    memory.mean_squared[0] += dot(means, means);
}

std::size_t sums_size(std::size_t rows) { return 4 * rows + 1; }

}  // namespace

std::size_t narrow_scratch(std::size_t rows, std::size_t features) {
    const std::size_t widest = std::min(features, slab_features);
    return sums_size(rows) + widest + centred_blocks(widest) * rows * statistics_a_row;
}

NarrowMemory narrow_memory(std::span<double> features, std::span<double> scratch,
                           std::size_t rows) {
    const std::size_t widest = std::min(features.size() / rows, slab_features);
    NarrowMemory memory;
    memory.features = features;
    memory.centred_times_mean = take_front(scratch, rows);
    memory.row_sums = take_front(scratch, rows);
    memory.row_extremes = take_front(scratch, 2 * rows);
    memory.mean_squared = take_front(scratch, 1);
    memory.means = take_front(scratch, widest);
    memory.row_parts = scratch;
    return memory;
}

void centre_narrow(std::size_t features, const ReadSlab& read, const NarrowMemory& memory,
                   core::Workers& workers, const TeamShare& team) {
    if (team.rank == 0) {
        totals_of(memory).clear();
        memory.mean_squared[0] = 0;
    }
    for (std::size_t first = 0; first < features; first += slab_features) {
        const auto slab = read(first, std::min(slab_features, features - first));
        team.barrier();  // what was of the slab before has been added
        centre_slab(slab, first, memory, workers, team);
        team.barrier();
        if (team.rank == 0) add_slab(slab, memory);
    }
    team.barrier();
    check_finite(memory);
}

}  // namespace ventral::stats

#include "metrics/memory_plan.hpp"

#include <algorithm>

#include "core/ceil_divide.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "metrics/fit_buffers.hpp"
#include "metrics/registered_metrics.hpp"
#include "stats/gram/narrow_features.hpp"

namespace ventral::metrics {
namespace {

constexpr double float64 = sizeof(double);

double product(std::size_t a, std::size_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
}

bool is_narrow(const ProblemSize& size) { return stats::has_narrow_form(size.rows, size.features); }

/// Doubles, as below.
double building(const ProblemSize& size) {
    return static_cast<double>(is_narrow(size)
                                   ? stats::narrow_scratch(size.rows, size.features)
                                   : stats::gram_sizes(size.rows, size.features).scratch());
}

}  // namespace

std::size_t folds_together(std::size_t rows, std::size_t neuroids) {
    return neuroids <= rows / 2 ? 2 * fold_group : fold_group;
}

double fitting_bytes(const RegressionPlan& plan, const MetricOptions& options, std::size_t features,
                     std::size_t threads) {
    const auto& metric = find_metric(options.name);
    const auto rows = static_cast<std::size_t>(plan.targets.rows());
    const auto neuroids = static_cast<std::size_t>(plan.targets.cols());
    const auto together = std::min(folds_together(rows, neuroids), plan.folds.size());
    const auto in_work = static_cast<double>(std::min(threads, together));
    auto buffers = fit_buffers(options, plan, features);
    const auto slab = std::min(features, stats::slab_features);
    double groups = 1;
    double beside = 0;
    if (!has_neuroids(metric)) {
        beside = 2 * product(rows, neuroids);
    } else if (!needs_gram(metric)) {
        // All folds meet a slab together, and slabs are counted where they are read.
        beside = -product(rows, slab + std::min(slab, features - slab));
    } else {
        groups = static_cast<double>(core::ceil_divide(together, fold_group));
        const double kernel = stats::has_narrow_form(rows, features) ? 2 * product(rows, features)
                                                                     : product(rows, rows);
        buffers.fold = std::max(buffers.fold, float64 * kernel);
        buffers.rank = std::max(buffers.rank, float64 * product(rows, std::min(rows, features)));
        beside = product(rows, slab);
    }
    return buffers.rank + float64 * beside +
           std::max(buffers.making, buffers.task + groups * buffers.group + in_work * buffers.fold);
}

double MemoryNeed::total() const { return gram + targets + reading + std::max(panels, fits); }

MemoryNeed memory_need(const ProblemSize& size, Keep keep, std::size_t reading_bytes) {
    const std::size_t block = std::min(size.features, block_columns(keep));
    const double kept = keep == Keep::everything ? product(size.rows, size.features)
                                                 : std::min(2 * product(size.rows, block),
                                                            product(size.rows, size.features));
    MemoryNeed need;
    const double kernel =
        is_narrow(size) ? product(size.rows, size.features) : product(size.rows, size.rows);
    if (size.has_gram) need.gram = float64 * (kernel + 4 * static_cast<double>(size.rows));
    need.targets = float64 * product(size.rows, size.neuroids);
    need.reading = static_cast<double>(size.value_bytes) * kept +
                   static_cast<double>(reading_bytes) + size.held_bytes;
    if (size.has_gram) need.panels = float64 * building(size);
    need.fits = size.fitting_bytes;
    return need;
}

Keep what_to_keep(const ProblemSize& size, const ReadingBytes& reading, double bound) {
    const Keep best = size.reads_again ? Keep::everything : Keep::two_long_blocks;
    if (memory_need(size, best, reading.a_long_block).total() <= bound) return best;
    const auto need = memory_need(size, Keep::two_slabs, reading.a_slab);
    if (need.total() <= bound) return Keep::two_slabs;
    throw core::InputError(
        "--memory: " + core::bytes_text(bound) + " is too little (" + std::to_string(size.rows) +
        " stimuli, " + std::to_string(size.features) + " features and " +
        std::to_string(size.neuroids) + " neuroids need " + core::memory_setting(need.total()) +
        ": Gram " + core::memory_setting(need.gram) + ", recordings " +
        core::memory_setting(need.targets) + ", reading " + core::memory_setting(need.reading) +
        ", and panels " + core::memory_setting(need.panels) + " or fits " +
        core::memory_setting(need.fits) + ") give --memory " + core::memory_setting(need.total()) +
        " or more");
}

}  // namespace ventral::metrics

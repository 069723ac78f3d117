#include "metrics/memory_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {
namespace {

constexpr double float64 = sizeof(double);

double product(std::size_t a, std::size_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
}

/// As one can give it to `--memory`.
std::string mebibytes(double bytes) {
    return std::to_string(static_cast<std::size_t>(std::ceil(bytes / (1 << 20)))) + "MiB";
}

}  // namespace

std::size_t folds_together(std::size_t rows, std::size_t neuroids) {
    return neuroids <= rows / 2 ? 2 * fold_group : fold_group;
}

double MemoryNeed::total() const { return gram + targets + reading + std::max(panels, fits); }

MemoryNeed memory_need(const ProblemSize& size, Keep keep, std::size_t reading_bytes) {
    const std::size_t slab = std::min(size.features, stats::slab_features);
    const std::size_t block = std::min(size.features, block_columns(keep));
    const double kept = keep == Keep::everything ? product(size.rows, size.features)
                                                 : std::min(2 * product(size.rows, block),
                                                            product(size.rows, size.features));
    const auto folds = static_cast<double>(folds_together(size.rows, size.neuroids));
    MemoryNeed need;
    if (size.has_gram)
        need.gram = float64 * (product(size.rows, size.rows) + 4 * static_cast<double>(size.rows));
    need.targets = float64 * product(size.rows, size.neuroids);
    need.reading =
        static_cast<double>(size.value_bytes) * kept + static_cast<double>(reading_bytes);
    if (size.has_gram)
        need.panels =
            float64 * static_cast<double>(stats::gram_sizes(size.rows, size.features).scratch());
    if (size.compares)
        need.fits = float64 * 4 * product(size.rows, size.rows);
    else
        need.fits = float64 * (product(size.rows, std::min(size.rows, size.features)) +
                               product(size.rows, slab) +
                               (size.has_gram ? static_cast<double>(size.threads) : 0) *
                                   product(size.rows, size.rows) +
                               2 * folds * product(size.rows, std::min(size.rows, size.neuroids)) +
                               2 * folds * product(size.rows, size.neuroids));
    return need;
}

Keep what_to_keep(const ProblemSize& size, const ReadingBytes& reading, double bound) {
    if (memory_need(size, Keep::everything, reading.kept).total() <= bound) return Keep::everything;
    const auto need = memory_need(size, Keep::two_blocks, reading.streamed);
    if (need.total() <= bound) return Keep::two_blocks;
    throw core::InputError(
        "--memory: " + core::bytes_text(bound) + " is too little (" + std::to_string(size.rows) +
        " stimuli, " + std::to_string(size.features) + " features and " +
        std::to_string(size.neuroids) + " neuroids need " + mebibytes(need.total()) + ": Gram " +
        mebibytes(need.gram) + ", recordings " + mebibytes(need.targets) + ", reading " +
        mebibytes(need.reading) + ", and panels " + mebibytes(need.panels) + " or fits " +
        mebibytes(need.fits) + ") give --memory " + mebibytes(need.total()) + " or more");
}

}  // namespace ventral::metrics

#pragma once
/// @file
/// What scoring takes of memory, and how much of the features it may keep.

#include <cstddef>

#include "metrics/feature_slabs.hpp"
#include "metrics/options.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::metrics {

/// Folds that are fitted at a time where one process fits them all: two groups, for which PLS reads
/// the Gram half as often, but one group where that many neuroids would take much memory. No bit
/// depends on it.
std::size_t folds_together(std::size_t rows, std::size_t neuroids);

/// Bytes that the folds of a score which are fitted together take beside the Gram and the targets,
/// on so many threads: those of `fit_buffers`; of regressions also the features in their small form
/// and a slab, and a matrix like the Gram for each fold in work, in case that the Gram has lost
/// digits; of comparisons also the recordings as they were read and centred.
double fitting_bytes(const RegressionPlan& plan, const MetricOptions& options, std::size_t features,
                     std::size_t threads);

struct ProblemSize {
    std::size_t rows = 0;                     ///< n
    std::size_t features = 0;                 ///< p
    std::size_t neuroids = 0;                 ///< m
    std::size_t value_bytes = sizeof(float);  ///< of a feature
    double fitting_bytes = 0;                 ///< see above
    double held_bytes = 0;                    ///< of sources that are in memory as a whole
    bool has_gram = true;                     ///< not if only the features themselves are needed
    bool reads_again = false;                 ///< also where the Gram loses no digits
};

/// Bytes, beside what the program takes when it does nothing.
struct MemoryNeed {
    double gram = 0;     ///< n², of few features n × p, and what is kept beside it
    double targets = 0;  ///< n × m
    double reading = 0;  ///< blocks of features, what reading them takes, and what is held
    double panels = 0;   ///< `stats::GramSizes::scratch`, while the Gram is built
    double fits = 0;     ///< `fitting_bytes`, afterwards
    /// Panels and fits follow each other.
    double total() const;
};

/// `reading_bytes` is what reading a block takes beside its buffer.
MemoryNeed memory_need(const ProblemSize& size, Keep keep, std::size_t reading_bytes);

/// What reading a block takes beside its buffer.
struct ReadingBytes {
    std::size_t a_slab = 0;
    std::size_t a_long_block = 0;  ///< also where everything is kept
};

/// What is kept within `bound` bytes. Features that are needed for a Gram only are not worth the
/// memory; a score that reads them again keeps them if they fit. Throws `core::InputError` that
/// names the least bound that is enough if not even two slabs fit.
Keep what_to_keep(const ProblemSize& size, const ReadingBytes& reading, double bound);

}  // namespace ventral::metrics

#pragma once
/// @file
/// A metric on two assemblies, as `ventral metric` computes it.

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"
#include "metrics/options.hpp"

namespace ventral::metrics {

/// `source` is the model's (features in float32 or float64), `target` the recordings. Throws
/// `core::InputError` where the reference raises.
core::Score score_assemblies(const core::Assembly& source, const core::Assembly& target,
                             const MetricOptions& options, core::Workers& workers);

/// The parts that a metric of the train-test form ("…_split") takes.
struct TrainTestAssemblies {
    core::Assembly source_train, target_train, source_test, target_test;
};
core::Score score_train_test(const TrainTestAssemblies& parts, const MetricOptions& options,
                             core::Workers& workers);

}  // namespace ventral::metrics

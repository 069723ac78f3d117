#pragma once
/// @file
/// A metric on features and recordings, as `ventral metric` computes it.

#include <limits>
#include <string>

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"
#include "metrics/features.hpp"
#include "metrics/options.hpp"

namespace ventral::metrics {

/// Recordings or features and the file they come from, which messages name; it may be empty.
struct AssemblyOfFile {
    std::string place;
    core::Assembly assembly;
};

/// What a computation may use.
struct Resources {
    core::Workers& workers;
    /// Bytes beside what the program takes when it does nothing. It decides how many features are
    /// read at a time, and whether those that are needed again are kept; it changes no bit of a
    /// score.
    double memory_bytes = std::numeric_limits<double>::infinity();
    double held_bytes = 0;  ///< of these, what is taken of them already
};

/// A score and where its time went, in seconds: waiting for features; the rest of the Gram; the
/// rest of everything after it.
struct TimedScore {
    core::Score score;
    double read_s = 0;
    double gram_s = 0;
    double fit_s = 0;
};

/// `source` is the model's (features in float32 or float64), `target` the recordings. The only way
/// for metrics that take several time bins or are reversed. Throws `core::InputError` where the
/// reference raises.
TimedScore score_assemblies(const AssemblyOfFile& source, const AssemblyOfFile& target,
                            const MetricOptions& options, const Resources& resources);

/// The parts that a metric of the train-test form ("…_split") takes.
struct TrainTestRecordings {
    AssemblyOfFile source_train, source_test, target_train, target_test;
};
TimedScore score_train_test(const TrainTestRecordings& parts, const MetricOptions& options,
                            const Resources& resources);

/// The same for features that are read by columns and may be wider than memory. Also throws
/// `core::InputError` if the memory is too little (with what is needed) and, naming file, stimulus
/// and feature, if a regression's feature is NaN or infinite. Of comparisons what needs such a
/// stimulus is NaN then; neuron_to_neuron leaves such features out.
TimedScore score_features(const Features& source, const AssemblyOfFile& target,
                          const MetricOptions& options, const Resources& resources);

struct TrainTestFeatures {
    Features source_train, source_test;
    AssemblyOfFile target_train, target_test;
};
TimedScore score_train_test(const TrainTestFeatures& parts, const MetricOptions& options,
                            const Resources& resources);

}  // namespace ventral::metrics

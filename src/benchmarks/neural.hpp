#pragma once
/// @file
/// The pattern "neural": activations of a region's layers predict recordings of that region, by
/// cross-validation, normalised by the consistency of the recordings (Brain-Score's
/// `NeuralBenchmark`). Where files lie is not known here.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/benchmark_record.hpp"
#include "core/assembly.hpp"
#include "core/select.hpp"
#include "core/stimulus_set.hpp"

namespace ventral::benchmarks {

/// The assemblies of a dataset that a neural benchmark uses; at least one is there.
struct NeuralRecordings {
    std::optional<core::Assembly> target;       ///< averages over repetitions
    std::optional<core::Assembly> repetitions;  ///< single presentations
};

/// Whether it may leave out some of the recordings.
bool is_about_a_part(const BenchmarkRecord& benchmark);

/// Which of the recordings the benchmark is about, by their labels alone. Throws as
/// `part_of_benchmark` does.
core::Positions positions_of_benchmark(const BenchmarkRecord& benchmark,
                                       const core::Assembly& labels,
                                       const core::StimulusSet* stimuli);

/// The part of the recordings that the benchmark is about: stimulus columns merged in by id, the
/// conditions of `select` applied, its time bins chosen or averaged (chosen_time_bins.hpp), in the
/// order of time. Without time_bins a metric that takes time bins is about all there are. Throws
/// `core::InputError` if there is no dimension `neuroid`, or no `neuroid_id` for a metric or
/// ceiling that goes by it, and if nothing is selected or a bin is missing (the message then begins
/// with the benchmark's file and lists those there are).
core::Assembly part_of_benchmark(const BenchmarkRecord& benchmark, core::Assembly recordings,
                                 const core::StimulusSet* stimuli);

/// What models are to predict: the target assembly, or else the average of the repetitions (NaN
/// skipped), without what `dropna` leaves out of it, as Brain-Score's Cadena2017 does.
core::Assembly target_of(const BenchmarkRecord& benchmark, NeuralRecordings recordings,
                         const core::StimulusSet* stimuli);

/// The assembly that the ceiling is computed from: single presentations, without what `dropna`
/// leaves out of them. Throws `core::InputError` if the dataset has no repetitions.
core::Assembly repetitions_of(const BenchmarkRecord& benchmark, NeuralRecordings recordings,
                              const core::StimulusSet* stimuli);

/// True if `select` or `dropna` may leave out presentations, so that some stimuli have no
/// recording.
bool leaves_out_presentations(const BenchmarkRecord& benchmark, const core::Assembly& recordings,
                              const core::StimulusSet* stimuli);

/// The metrics, and the ceilings, that a benchmark may name; the others are for
/// `ventral metric` and `ventral ceiling`.
std::vector<std::string> supported_metrics();
std::vector<std::string> supported_ceilings();

/// Throws `core::InputError` where a benchmark asks for what is not supported yet: patterns,
/// metrics of the train-test form, several time bins for a metric or ceiling that takes one. The
/// message begins with its file.
void check_supported(const BenchmarkRecord& benchmark);

}  // namespace ventral::benchmarks

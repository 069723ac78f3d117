#include "pipeline/recordings.hpp"

#include "core/errors.hpp"
#include "io/netcdf_assembly.hpp"
#include "io/stimulus_csv.hpp"
#include "metrics/registered_metrics.hpp"

namespace ventral::pipeline {
namespace {

/// The file that a benchmark's targets are made from.
std::string target_file(const benchmarks::DatasetRecord& dataset) {
    for (const char* role : {"target", "repetitions"}) {
        const auto file = dataset.assemblies.find(role);
        if (file != dataset.assemblies.end()) return file->second.path;
    }
    return dataset.origin;
}

/// A single time bin need not say when it was.
std::vector<benchmarks::TimeBin> stated_time_bins(const core::Assembly& target) {
    for (const char* edge : {"time_bin_start", "time_bin_end"})
        if (!core::find_coordinate(target, edge)) return {};
    return benchmarks::time_bins_of(target);
}

PreparedBenchmark prepare(const benchmarks::BenchmarkRecord& benchmark,
                          const benchmarks::NeuralRecordings& recordings,
                          const core::StimulusSet* stimuli) {
    const auto target = benchmarks::target_of(benchmark, recordings, stimuli);
    return {metrics::plan_still(benchmark.metric, target), stated_time_bins(target),
            benchmarks::selects_presentations(benchmark, target, stimuli)};
}

}  // namespace

const benchmarks::BenchmarkRecord& RecordingsReader::benchmark(std::size_t index) const {
    return run_.benchmarks.at(index);
}

const benchmarks::DatasetRecord& RecordingsReader::dataset_of(std::size_t benchmark) const {
    return run_.datasets.at(run_.benchmarks.at(benchmark).dataset);
}

bool RecordingsReader::is_restricted(std::size_t benchmark) const {
    return dataset_of(benchmark).access == benchmarks::Access::restricted;
}

std::string RecordingsReader::public_reason(std::size_t benchmark,
                                            const std::string& reason) const {
    if (!is_restricted(benchmark)) return reason;
    return "dataset '" + dataset_of(benchmark).identifier +
           "' cannot be scored (details are withheld: its access is private)";
}

std::optional<core::Assembly> RecordingsReader::assembly(const benchmarks::DatasetRecord& dataset,
                                                         const std::string& role) const {
    const auto file = dataset.assemblies.find(role);
    if (file == dataset.assemblies.end()) return std::nullopt;
    return io::read_assembly(file->second.path);
}

const core::StimulusSet& RecordingsReader::stimuli(const std::string& dataset) {
    const auto known = stimuli_.find(dataset);
    if (known != stimuli_.end()) return known->second;
    const auto& record = run_.datasets.at(dataset).stimuli;
    return stimuli_[dataset] = io::read_stimulus_set(
               {dataset, record.csv.path, record.folder, record.visual_degrees});
}

const core::StimulusSet* RecordingsReader::stimuli_of(std::size_t benchmark) {
    const auto& dataset = dataset_of(benchmark);
    return dataset.stimuli.csv.path.empty() ? nullptr : &stimuli(dataset.identifier);
}

core::Assembly RecordingsReader::repetitions(std::size_t benchmark) {
    const benchmarks::NeuralRecordings recordings{{},
                                                  assembly(dataset_of(benchmark), "repetitions")};
    return benchmarks::repetitions_of(run_.benchmarks.at(benchmark), recordings,
                                      stimuli_of(benchmark));
}

const PreparedBenchmark& RecordingsReader::prepared(std::size_t benchmark) {
    const auto known = prepared_.find(benchmark);
    if (known != prepared_.end()) return known->second;
    const auto& record = run_.benchmarks.at(benchmark);
    benchmarks::NeuralRecordings recordings;
    recordings.target = assembly(dataset_of(benchmark), "target");
    if (!recordings.target) recordings.repetitions = assembly(dataset_of(benchmark), "repetitions");
    const auto* stimuli = stimuli_of(benchmark);
    try {
        return prepared_[benchmark] = prepare(record, recordings, stimuli);
    } catch (const core::InputError& error) {
        const std::string reason = error.what();
        if (reason.starts_with(record.origin)) throw;
        throw core::InputError(target_file(dataset_of(benchmark)) + ": " + reason);
    }
}

}  // namespace ventral::pipeline

#include "pipeline/outlook/ceiling_memory.hpp"

#include <algorithm>
#include <new>

#include "benchmarks/chosen_time_bins.hpp"
#include "benchmarks/neural.hpp"
#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/assembly_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/ceilings.hpp"
#include "pipeline/inputs/configured_assembly.hpp"
#include "pipeline/inputs/recordings.hpp"

namespace ventral::pipeline {
namespace {

struct Repetitions {
    double rows = 0;
    double bytes = 0;
    std::string problem;  ///< why there is no ceiling, or empty
};

/// Without those about the table of stimuli.
std::vector<core::Condition> conditions_of_file(const core::Assembly& labels,
                                                const std::vector<core::Condition>& select) {
    std::vector<core::Condition> of_file;
    for (const auto& condition : select)
        if (core::find_coordinate(labels, condition.coordinate)) of_file.push_back(condition);
    return of_file;
}

/// Of presentations chosen by their labels. Which of them have a NaN is not known here.
void check_ceiling(const benchmarks::BenchmarkRecord& benchmark, const core::Assembly& labels) {
    const auto& ceiling = metrics::find_ceiling(benchmark.ceiling.name);
    core::naming(labels.name, [&] {
        metrics::check_repetitions(ceiling, labels);
        if (benchmark.dropna.empty()) metrics::check_each_stimulus(ceiling, labels);
    });
}

/// Of a value as often as it is in memory: what has a NaN is left out of a copy.
double value_bytes(const benchmarks::BenchmarkRecord& benchmark, const core::Assembly& labels) {
    const std::size_t copies = benchmark.dropna.empty() ? 1 : 2;
    return static_cast<double>(copies * core::value_bytes(labels.values));
}

/// Of recordings in several time bins; from the size of the file if they cannot be read.
Repetitions repetitions_in_time(const benchmarks::DataFile& file,
                                const benchmarks::BenchmarkRecord& benchmark,
                                const core::StimulusSet* stimuli) {
    Repetitions repetitions;
    core::Assembly part;
    try {
        const auto labels = io::read_labels(file.path, recordings_request(file));
        part = core::take(labels, benchmarks::positions_of_benchmark(benchmark, labels, stimuli));
        const auto rows = core::dimension_size(part, "presentation");
        repetitions.rows = static_cast<double>(rows);
        repetitions.bytes = value_bytes(benchmark, labels);
        for (const auto& dim : part.dims) repetitions.bytes *= static_cast<double>(dim.size);
        repetitions.bytes += static_cast<double>(benchmarks::averaged_bytes(benchmark, part)) +
                             reading_bytes(labels, io::most_part_bytes) +
                             merged_bytes(stimuli, rows);
    } catch (const core::InputError&) {
        return {0, static_cast<double>(io::file_bytes(file.path)), ""};
    }
    try {
        check_ceiling(benchmark, part);
    } catch (const core::InputError& error) {
        repetitions.problem = error.what();
    }
    return repetitions;
}

/// From the head of the file.
Repetitions repetitions_of(const benchmarks::DataFile& file,
                           const benchmarks::BenchmarkRecord& benchmark,
                           const core::StimulusSet* stimuli) {
    auto request = recordings_request(file);
    request.neuroid_labels = {"neuroid_id"};
    for (const auto& condition : benchmark.select)
        request.neuroid_labels.insert(condition.coordinate);
    try {
        io::AssemblyFile repetitions_file(file.path, request);
        auto labels = repetitions_file.take_labels();
        labels.name = file.path;
        // A column takes a chunk of those that cross it.
        const double beside =
            benchmark.select.empty()
                ? 0
                : reading_bytes(labels, io::most_part_bytes + repetitions_file.reading_bytes(1));
        const double value = value_bytes(benchmark, labels);
        Repetitions repetitions;
        try {
            const auto conditions = conditions_of_file(labels, benchmark.select);
            labels = core::select(labels, conditions);
            if (conditions.size() == benchmark.select.size())
                check_ceiling(benchmark, labels);
            else
                metrics::check_repetitions(metrics::find_ceiling(benchmark.ceiling.name), labels);
        } catch (const core::InputError& error) {
            repetitions.problem = error.what();
        }
        repetitions.rows = static_cast<double>(labels.dims[0].size);
        repetitions.bytes = value * repetitions.rows * static_cast<double>(labels.dims[1].size) +
                            2 * static_cast<double>(core::byte_count(labels)) +
                            merged_bytes(stimuli, labels.dims[0].size) + beside;
        return repetitions;
    } catch (const core::InputError&) {
        return repetitions_in_time(file, benchmark, stimuli);
    }
}

/// None if it has none that can be read.
const core::StimulusSet* stimuli_of(const benchmarks::DatasetRecord& dataset,
                                    RecordingsReader& reader) {
    try {
        return dataset.stimuli.csv.path.empty() ? nullptr : &reader.stimuli(dataset.identifier);
    } catch (const core::InputError&) {
        return nullptr;
    }
}

Repetitions repetitions_of(const config::RunRecord& run, std::size_t benchmark,
                           RecordingsReader& reader) {
    const auto& record = run.benchmarks[benchmark];
    const auto& dataset = run.datasets.at(record.dataset);
    const auto file = dataset.assemblies.find("repetitions");
    Repetitions repetitions;
    if (file != dataset.assemblies.end())
        repetitions = repetitions_of(file->second, record, stimuli_of(dataset, reader));
    try {
        if (file == dataset.assemblies.end()) benchmarks::repetitions_of(record, {}, nullptr);
        // Which presentations have a NaN only their values say.
        if (!record.dropna.empty() && repetitions.problem.empty()) {
            const auto kept = reader.repetitions(benchmark);
            core::naming(kept.name, [&] {
                metrics::check_each_stimulus(metrics::find_ceiling(record.ceiling.name), kept);
            });
        }
    } catch (const core::InputError& error) {
        repetitions.problem = error.what();
    } catch (const std::bad_alloc&) {
        // What they need of memory is in the estimate.
    }
    return repetitions;
}

double bytes_of(const Repetitions& repetitions, std::size_t threads) {
    constexpr double known_of_a_row = 128;  // labels as codes, places in splits
    constexpr double strip = 16 * sizeof(double);
    return repetitions.bytes +
           repetitions.rows * (known_of_a_row + static_cast<double>(threads) * strip);
}

}  // namespace

CeilingsEstimate estimate_ceilings(const config::RunRecord& run,
                                   const std::vector<PlannedCeiling>& compute,
                                   const NodeSize& node) {
    RecordingsReader reader(run);
    CeilingsEstimate estimate;
    double largest = 0;
    std::string name;
    for (const auto& ceiling : compute) {
        const auto& benchmark = run.benchmarks[ceiling.benchmark];
        const auto repetitions = repetitions_of(run, ceiling.benchmark, reader);
        if (!repetitions.problem.empty())
            estimate.failing.push_back(
                {ceiling.key, "the ceiling of benchmark '" + benchmark.identifier +
                                  "', and so its scores, will fail: " +
                                  reader.public_reason(ceiling.benchmark, repetitions.problem)});
        const double bytes = bytes_of(repetitions, node.threads);
        if (bytes > largest) name = benchmark.identifier;
        largest = std::max(largest, bytes);
    }
    if (!(largest > 0)) return estimate;
    node.forget_peak();
    const double program = node.program_bytes();
    const auto at_once = std::min(node.ranks, compute.size());
    estimate.memory_bytes =
        static_cast<double>(at_once) * largest + static_cast<double>(node.ranks) * program;
    if (estimate.memory_bytes > node.memory_bytes)
        estimate.problem =
            "the ceilings need " + core::bytes_text(estimate.memory_bytes) +
            " of memory on a node with " + core::bytes_text(node.memory_bytes) +
            " (most of it that of " + name + ")" +
            (largest + program <= node.memory_bytes ? " they fit with --ranks 1" : "");
    return estimate;
}

}  // namespace ventral::pipeline

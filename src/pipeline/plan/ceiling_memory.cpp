#include "pipeline/plan/ceiling_memory.hpp"

#include <algorithm>

#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/assembly_file.hpp"
#include "metrics/ceilings.hpp"
#include "pipeline/inputs/recordings.hpp"

namespace ventral::pipeline {
namespace {

struct Repetitions {
    double rows = 0;
    double bytes = 0;
    std::string problem;  ///< why there is no ceiling, or empty
};

/// The labels of the presentations that the conditions leave, and of all neuroids.
core::Assembly selected(const core::Assembly& labels, const std::vector<core::Condition>& select) {
    core::Assembly presentations{labels.name, {labels.dims[0]}, {}, {}, {}};
    presentations.values = std::vector<std::int64_t>(labels.dims[0].size);
    core::Assembly rest{labels.name, {}, {}, {}, {}};
    for (const auto& each : labels.coordinates)
        (each.dim == "presentation" ? presentations : rest).coordinates.push_back(each);
    std::vector<core::Condition> of_presentations;
    for (const auto& condition : select)
        if (core::find_coordinate(presentations, condition.coordinate))
            of_presentations.push_back(condition);
    auto left = core::select(presentations, of_presentations);
    for (auto& each : rest.coordinates) left.coordinates.push_back(std::move(each));
    return left;
}

std::string problem_of(const metrics::RegisteredCeiling& ceiling, const core::Assembly& labels,
                       const std::vector<core::Condition>& select) {
    try {
        metrics::check_repetitions(ceiling, selected(labels, select));
    } catch (const core::InputError& error) {
        return error.what();
    }
    return "";
}

/// From the head of the file; with several time bins, from its size.
Repetitions repetitions_of(const benchmarks::DataFile& file,
                           const benchmarks::BenchmarkRecord& benchmark) {
    io::AssemblyRequest request;
    request.neuroid_labels = {"neuroid_id"};
    if (!file.variable.empty()) request.variable = file.variable;
    request.layer_choice = {};
    try {
        auto labels = io::AssemblyFile(file.path, request).take_labels();
        labels.name = file.path;
        const auto rows = static_cast<double>(labels.dims[0].size);
        const double value =
            std::holds_alternative<std::vector<float>>(labels.values) ? sizeof(float) : 8;
        return {
            rows,
            value * rows * static_cast<double>(labels.dims[1].size) +
                static_cast<double>(core::byte_count(labels)),
            problem_of(metrics::find_ceiling(benchmark.ceiling.name), labels, benchmark.select)};
    } catch (const core::InputError&) {
        return {0, static_cast<double>(io::file_bytes(file.path)), ""};
    }
}

Repetitions repetitions_of(const config::RunRecord& run, std::size_t benchmark) {
    const auto& record = run.benchmarks[benchmark];
    const auto& files = run.datasets.at(record.dataset).assemblies;
    const auto file = files.find("repetitions");
    if (file == files.end()) return {};
    return repetitions_of(file->second, record);
}

double bytes_of(const benchmarks::BenchmarkRecord& record, const Repetitions& repetitions,
                std::size_t threads) {
    constexpr double known_of_a_row = 128;  // labels as codes, places in splits
    constexpr double strip = 16 * sizeof(double);
    const double copies = record.select.empty() ? 1 : 3;
    return copies * repetitions.bytes +
           repetitions.rows * (known_of_a_row + static_cast<double>(threads) * strip);
}

}  // namespace

CeilingsEstimate estimate_ceilings(const config::RunRecord& run,
                                   const std::vector<PlannedCeiling>& compute,
                                   const NodeSize& node) {
    const RecordingsReader reader(run);
    CeilingsEstimate estimate;
    double largest = 0;
    std::string name;
    for (const auto& ceiling : compute) {
        const auto& benchmark = run.benchmarks[ceiling.benchmark];
        const auto repetitions = repetitions_of(run, ceiling.benchmark);
        if (!repetitions.problem.empty())
            estimate.failing.push_back(
                {ceiling.key, "the ceiling of benchmark '" + benchmark.identifier +
                                  "', and so its scores, will fail: " +
                                  reader.public_reason(ceiling.benchmark, repetitions.problem)});
        const double bytes = bytes_of(benchmark, repetitions, node.threads);
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

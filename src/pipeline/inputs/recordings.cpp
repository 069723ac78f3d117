#include "pipeline/inputs/recordings.hpp"

#include <algorithm>
#include <utility>

#include "benchmarks/chosen_time_bins.hpp"
#include "benchmarks/unlike_recordings.hpp"
#include "core/allocator.hpp"
#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "io/input_file.hpp"
#include "metrics/registered_metrics.hpp"
#include "pipeline/inputs/configured_assembly.hpp"
#include "pipeline/inputs/dataset_facts.hpp"
#include "pipeline/inputs/input_truth.hpp"
#include "pipeline/inputs/withheld.hpp"

namespace ventral::pipeline {
namespace {

/// Runs `work`; an error that does not begin with the benchmark's TOML begins with `file`.
template <typename Work>
auto naming_file(const benchmarks::BenchmarkRecord& benchmark, const std::string& file,
                 const Work& work) {
    try {
        return work();
    } catch (const core::InputError& error) {
        if (core::names_place(error.what(), benchmark.origin)) throw;
        return core::naming(file, [&]() -> decltype(work()) { throw; });
    }
}

/// A single time bin need not say when it was, nor in numbers.
core::TimeBins stated_time_bins(const core::Assembly& target) {
    for (const char* edge : {"time_bin_start", "time_bin_end"}) {
        const auto* labels = core::find_coordinate(target, edge);
        if (!labels || std::holds_alternative<std::vector<std::string>>(labels->values)) return {};
    }
    return core::time_bins_of(target);
}

double bytes_of(const core::Assembly& assembly) {
    return static_cast<double>(core::byte_count(assembly));
}

/// Of what was read, with its labels once more while those of stimuli are added to them.
double prepared_bytes(const core::Assembly& read, const core::StimulusSet* stimuli) {
    if (!stimuli) return bytes_of(read);
    const auto labels = bytes_of(read) - static_cast<double>(core::byte_count(read.values));
    return bytes_of(read) + labels +
           merged_bytes(stimuli, core::dimension_size(read, "presentation"));
}

PreparedBenchmark prepare(const benchmarks::BenchmarkRecord& benchmark,
                          benchmarks::NeuralRecordings recordings,
                          const core::StimulusSet* stimuli) {
    PreparedBenchmark prepared;
    const auto& read = recordings.target ? recordings.target : recordings.repetitions;
    if (read) {
        prepared.read_bytes = prepared_bytes(*read, stimuli) +
                              static_cast<double>(benchmarks::averaged_bytes(benchmark, *read));
        // Averages lack labels of time bins that may be selected by.
        prepared.part_of_stimuli = benchmarks::leaves_out_presentations(benchmark, *read, stimuli);
    }
    const auto target = benchmarks::target_of(benchmark, std::move(recordings), stimuli);
    prepared.target_bytes = bytes_of(target);
    prepared.plan = metrics::plan_still(benchmark.metric, target);
    prepared.time_bins = stated_time_bins(target);
    if (metrics::draws_splits(metrics::find_metric(benchmark.metric.name)))
        prepared.split_labels = metrics::split_labels(target, benchmark.metric.cross_validation);
    return prepared;
}

/// Of presentations, neuroids and time bins.
std::size_t label_bytes(const PreparedBenchmark& prepared) {
    const auto& plan = prepared.plan;
    std::size_t bytes = core::byte_count(plan.stimulus_ids);
    for (const auto* coordinates : {&plan.neuroid_coordinates, &plan.time_coordinates})
        for (const auto& labels : *coordinates) bytes += core::byte_count(labels.values);
    for (const auto& [name, labels] : prepared.split_labels) bytes += core::byte_count(labels);
    return bytes;
}

}  // namespace

double reading_bytes(const core::Assembly& labels, std::size_t read_at_once) {
    // All of them, and those that the part is chosen by.
    constexpr double copies = 2;
    return copies * bytes_of(labels) + static_cast<double>(read_at_once);
}

double merged_bytes(const core::StimulusSet* stimuli, std::size_t presentations) {
    if (!stimuli || stimuli->stimulus_ids.empty()) return 0;
    double bytes = 0;
    for (const auto& column : stimuli->columns)
        bytes += static_cast<double>(core::byte_count(column.values));
    return bytes * static_cast<double>(presentations) /
           static_cast<double>(stimuli->stimulus_ids.size());
}

double PreparedBenchmark::kept_bytes() const {
    std::size_t rows = 0;
    for (const auto& fold : plan.folds) rows += fold.train.size() + fold.test.size();
    const std::size_t indices = sizeof(Eigen::Index) * rows +
                                sizeof(std::size_t) * plan.neuroid_order.size() +
                                sizeof(metrics::MissingResponse) * plan.missing.size();
    return sizeof(double) * static_cast<double>(plan.targets.size() + plan.averages.size()) +
           static_cast<double>(indices + label_bytes(*this));
}

double PreparedBenchmark::preparing_bytes() const {
    // What is read is there until what is scored of it is made; bins are taken out of it one by
    // one.
    const double part = target_bytes == read_bytes ? read_bytes : read_bytes + target_bytes;
    const double bin =
        plan.time_bins > 0 ? 2 * target_bytes / static_cast<double>(plan.time_bins) : 0;
    return std::max({read_bytes + beside_bytes, part, target_bytes + kept_bytes() + bin});
}

const benchmarks::BenchmarkRecord& RecordingsReader::benchmark(std::size_t index) const {
    return run_.benchmarks.at(index);
}

const benchmarks::DatasetRecord& RecordingsReader::dataset_of(std::size_t benchmark) const {
    return run_.datasets.at(run_.benchmarks.at(benchmark).dataset);
}

std::string RecordingsReader::target_file(std::size_t benchmark) const {
    const auto& dataset = dataset_of(benchmark);
    for (const char* role : {"target", "repetitions"}) {
        const auto file = dataset.assemblies.find(role);
        if (file != dataset.assemblies.end()) return file->second.path;
    }
    return dataset.origin;
}

bool RecordingsReader::is_restricted(std::size_t benchmark) const {
    return dataset_of(benchmark).access == benchmarks::Access::restricted;
}

std::string RecordingsReader::public_reason(std::size_t benchmark,
                                            const std::string& reason) const {
    if (!is_restricted(benchmark)) return reason;
    return withheld("dataset '" + dataset_of(benchmark).identifier + "' cannot be scored");
}

core::Failure RecordingsReader::public_failure(std::size_t benchmark,
                                               const core::Failure& failure) const {
    return {failure.failure_class, public_reason(benchmark, failure.reason)};
}

template <typename Read>
auto RecordingsReader::unchanged(const std::string& path, const Read& read) const {
    if (!check_file_) return read();
    check_file_(path);
    try {
        auto content = read();
        check_file_(path);
        return content;
    } catch (const core::InputError&) {
        check_file_(path);
        throw;
    }
}

RecordingsReader::PartRead RecordingsReader::part(std::size_t benchmark, const std::string& role,
                                                  const core::StimulusSet* stimuli) const {
    const auto& dataset = dataset_of(benchmark);
    const auto file = dataset.assemblies.find(role);
    if (file == dataset.assemblies.end()) return {};
    const auto& record = run_.benchmarks.at(benchmark);
    PartRead read;
    io::PartWanted wanted;
    if (benchmarks::is_about_a_part(record))
        wanted = [&](const core::Assembly& labels, std::size_t read_at_once) {
            read.beside_bytes = reading_bytes(labels, read_at_once);
            return benchmarks::positions_of_benchmark(record, labels, stimuli);
        };
    const auto& path = file->second.path;
    read.assembly = unchanged(
        path, [&] { return io::read_assembly(path, recordings_request(file->second), wanted); });
    return read;
}

const core::StimulusSet& RecordingsReader::stimuli(const std::string& dataset) {
    const auto known = stimuli_.find(dataset);
    if (known != stimuli_.end()) return known->second;
    const auto& record = run_.datasets.at(dataset);
    const auto read = [&] { return read_stimuli(record); };
    try {
        return stimuli_[dataset] = unchanged(record.stimuli.csv.path, read);
    } catch (const core::InputError& error) {
        if (check_file_) throw_gone(error);
        throw;
    }
}

const core::StimulusSet* RecordingsReader::stimuli_of(std::size_t benchmark) {
    const auto& dataset = dataset_of(benchmark);
    return dataset.stimuli.csv.path.empty() ? nullptr : &stimuli(dataset.identifier);
}

double RecordingsReader::images_bytes(const std::string& dataset) {
    const auto known = images_bytes_.find(dataset);
    if (known != images_bytes_.end()) return known->second;
    double bytes = 0;
    for (const auto& file : stimuli(dataset).files)
        bytes += static_cast<double>(io::file_bytes(file));
    return images_bytes_[dataset] = bytes;
}

core::Assembly RecordingsReader::repetitions(std::size_t benchmark) {
    const auto& record = run_.benchmarks.at(benchmark);
    const auto* stimuli = stimuli_of(benchmark);
    const auto& files = dataset_of(benchmark).assemblies;
    const auto file = files.find("repetitions");
    return naming_file(record, file == files.end() ? "" : file->second.path, [&] {
        auto read = part(benchmark, "repetitions", stimuli).assembly;
        return benchmarks::repetitions_of(record, {{}, std::move(read)}, stimuli);
    });
}

std::optional<std::string> RecordingsReader::unlike_target(std::size_t benchmark,
                                                           const core::Assembly& repetitions) {
    const auto& record = run_.benchmarks.at(benchmark);
    const auto& files = dataset_of(benchmark).assemblies;
    const auto file = files.find("target");
    // What is left out for a NaN is not known from labels.
    if (file == files.end() || !record.dropna.empty()) return std::nullopt;
    try {
        const auto labels = io::read_labels(file->second.path, recordings_request(file->second));
        const auto positions =
            benchmarks::positions_of_benchmark(record, labels, stimuli_of(benchmark));
        const auto unlike =
            benchmarks::unlike_recordings(core::take(labels, positions), repetitions);
        if (!unlike) return std::nullopt;
        return "ceiling of " + record.identifier + ": " + repetitions.name + " " + *unlike +
               " (it is that of other recordings than " + file->second.path + ")";
    } catch (const core::InputError&) {
        return std::nullopt;  // whoever scores it is told
    }
}

const PreparedBenchmark& RecordingsReader::prepared(std::size_t benchmark) {
    if (const auto failed = failed_.find(benchmark); failed != failed_.end())
        std::rethrow_exception(failed->second);
    if (!is_prepared(benchmark)) {
        try {
            keep(benchmark, read(benchmark));
        } catch (const core::InputError&) {
            failed_[benchmark] = std::current_exception();
            throw;
        }
        core::give_back_freed_memory();
    }
    auto& kept = prepared_.at(benchmark);
    kept.asked = ++asked_;
    return kept.prepared;
}

const PreparedBenchmark* RecordingsReader::prepared_or_null(std::size_t benchmark) {
    try {
        return &prepared(benchmark);
    } catch (const core::InputError&) {
        return nullptr;
    }
}

void RecordingsReader::keep(std::size_t benchmark, PreparedBenchmark prepared) {
    prepared_[benchmark] = {std::move(prepared), ++asked_};
}

PreparedBenchmark RecordingsReader::read(std::size_t benchmark) {
    const auto& record = run_.benchmarks.at(benchmark);
    const auto* stimuli = stimuli_of(benchmark);
    return naming_file(record, target_file(benchmark), [&] {
        auto target = part(benchmark, "target", stimuli);
        auto repetitions = target.assembly ? PartRead() : part(benchmark, "repetitions", stimuli);
        auto prepared =
            prepare(record, {std::move(target.assembly), std::move(repetitions.assembly)}, stimuli);
        prepared.beside_bytes = target.beside_bytes + repetitions.beside_bytes;
        return prepared;
    });
}

void RecordingsReader::turn_to(const std::set<std::size_t>& benchmarks, double bound) {
    failed_.clear();
    std::map<std::uint64_t, std::size_t> others;  // the oldest first
    double bytes = 0;
    for (const auto& [benchmark, kept] : prepared_) {
        if (benchmarks.count(benchmark)) continue;
        others[kept.asked] = benchmark;
        bytes += kept.prepared.kept_bytes();
    }
    for (const auto& [asked, benchmark] : others) {
        if (bytes <= bound) return;
        bytes -= prepared_.at(benchmark).prepared.kept_bytes();
        prepared_.erase(benchmark);
    }
}

double RecordingsReader::kept_bytes() const {
    double bytes = 0;
    for (const auto& [benchmark, kept] : prepared_) bytes += kept.prepared.kept_bytes();
    return bytes;
}

}  // namespace ventral::pipeline

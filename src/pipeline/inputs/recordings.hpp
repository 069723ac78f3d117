#pragma once
/// @file
/// The datasets of a run, read when first needed: stimulus sets, and what each benchmark scores.

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "benchmarks/neural.hpp"
#include "config/run_record.hpp"
#include "core/stimulus_set.hpp"
#include "core/time_bin.hpp"
#include "metrics/cross_validation.hpp"
#include "metrics/regression_plan.hpp"

namespace ventral::pipeline {

/// What a benchmark asks of features: targets and folds.
struct PreparedBenchmark {
    metrics::RegressionPlan plan;       ///< for features that are the same in every time bin
    core::TimeBins time_bins;           ///< of the recordings that are scored
    metrics::SplitLabels split_labels;  ///< likewise; none if no splits are drawn
    /// `select` leaves out presentations: stimuli without recordings are left out too.
    bool part_of_stimuli = false;
    double read_bytes = 0;    ///< of what was read of the file, and of averages over its time bins
    double beside_bytes = 0;  ///< that reading took beside it
    double target_bytes = 0;  ///< of it, or of its average, that is scored

    /// What is kept of it in memory, and the most that it took while it was prepared.
    double kept_bytes() const;
    double preparing_bytes() const;
};

/// What reading a part takes beside it, where a file has these labels, and so many bytes of it are
/// in memory at once.
double reading_bytes(const core::Assembly& labels, std::size_t read_at_once);
/// Of the columns of stimuli, none if it is null, that so many presentations get for labels.
double merged_bytes(const core::StimulusSet* stimuli, std::size_t presentations);

/// What is kept of recordings that the unit in work does not need, at most.
inline constexpr double other_recordings_bytes = 256 << 20;

/// Reads on this rank alone and keeps what models share. Throws `core::InputError`.
class RecordingsReader {
public:
    explicit RecordingsReader(const config::RunRecord& run) : run_(run) {}

    /// For a run, which began with all of them: `check`, which may throw, is told of every file of
    /// recordings or stimuli before it is read and after. Images that are away are a
    /// `core::TransientError` then.
    void check_files(std::function<void(const std::string& path)> check) {
        check_file_ = std::move(check);
    }

    const benchmarks::BenchmarkRecord& benchmark(std::size_t index) const;
    /// What is wrong with its recordings is so until `turn_to`: whoever asks is told, also of
    /// what failed only once, and nothing is read in vain for every layer of a unit.
    const PreparedBenchmark& prepared(std::size_t benchmark);
    /// The same; null if something is wrong with its recordings.
    const PreparedBenchmark* prepared_or_null(std::size_t benchmark);
    bool is_prepared(std::size_t benchmark) const { return prepared_.contains(benchmark); }
    /// As if it had been read here.
    void keep(std::size_t benchmark, PreparedBenchmark prepared);
    void forget(std::size_t benchmark) { prepared_.erase(benchmark); }
    /// These are wanted next: what was wrong with recordings is tried again, and those of other
    /// benchmarks are forgotten, those that were asked for longest ago first, until they take no
    /// more than `bound` bytes.
    void turn_to(const std::set<std::size_t>& benchmarks, double bound = other_recordings_bytes);
    /// Of all that is prepared.
    double kept_bytes() const;
    /// Named by their file.
    core::Assembly repetitions(std::size_t benchmark);
    /// A warning where these are not of the stimuli and neuroids that the benchmark scores, as far
    /// as the labels of the file that it scores can be read.
    std::optional<std::string> unlike_target(std::size_t benchmark,
                                             const core::Assembly& repetitions);
    /// The file that the targets of a benchmark are made from.
    std::string target_file(std::size_t benchmark) const;
    /// The stimuli of a dataset; it must have some.
    const core::StimulusSet& stimuli(const std::string& dataset);
    /// Of the files of all its images; one that is away has none.
    double images_bytes(const std::string& dataset);

    /// The benchmark's data may not be shown: no value of a neuroid and no id in any output.
    bool is_restricted(std::size_t benchmark) const;
    /// `reason`, or for restricted data only that there is one.
    std::string public_reason(std::size_t benchmark, const std::string& reason) const;
    /// The same of a failure's reason.
    core::Failure public_failure(std::size_t benchmark, const core::Failure& failure) const;

private:
    PreparedBenchmark read(std::size_t benchmark);
    const benchmarks::DatasetRecord& dataset_of(std::size_t benchmark) const;
    const core::StimulusSet* stimuli_of(std::size_t benchmark);
    struct PartRead {
        std::optional<core::Assembly> assembly;
        double beside_bytes = 0;  ///< that reading took
    };
    /// Of a role's file what the benchmark is about, or more; nothing if it has none.
    PartRead part(std::size_t benchmark, const std::string& role,
                  const core::StimulusSet* stimuli) const;

    /// What `read` gives of a file that is the planned one before and after.
    template <typename Read>
    auto unchanged(const std::string& path, const Read& read) const;

    const config::RunRecord& run_;
    std::function<void(const std::string&)> check_file_;  ///< or none
    std::map<std::string, core::StimulusSet> stimuli_;
    std::map<std::string, double> images_bytes_;  ///< by dataset
    struct Kept {
        PreparedBenchmark prepared;
        std::uint64_t asked = 0;  ///< when, in the order of all that was asked
    };
    std::map<std::size_t, Kept> prepared_;
    std::map<std::size_t, std::exception_ptr> failed_;
    std::uint64_t asked_ = 0;
};

}  // namespace ventral::pipeline

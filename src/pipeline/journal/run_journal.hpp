#pragma once
/// @file
/// What a run writes into its journal and finds there again: which lines there are and what they
/// hold. Only the first rank of a team writes.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "io/journal.hpp"
#include "metrics/regression_plan.hpp"
#include "pipeline/journal/crash_trace.hpp"

namespace ventral::pipeline {

/// The folds of one group of one score, computed on one rank.
struct FoldGroupResult {
    std::string key;  ///< of the score
    std::uint64_t group = 0;
    std::vector<double> r;  ///< folds of the group × columns of the plan
    core::Margins margins;
    std::string route;
    std::uint64_t rank = 0;  ///< in the world
    double seconds = 0;
    std::string failure;  ///< why there are no values, or empty
    core::FailureClass failure_class = core::FailureClass::deterministic;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& key& group& r& route& rank& seconds& failure& failure_class;
        archive& margins.pls_stop& margins.guard& margins.alpha_gap& margins.argmax_gap& margins
            .rank_gap;
    }
};

/// What is said of a unit when work on it begins.
struct UnitStart {
    std::string unit;  ///< id
    std::string model;
    std::string dataset;
    std::uint64_t attempt = 1;
    int ranks = 1;       ///< of the team
    bool alone = false;  ///< no other unit is in work in this job
};

/// How work on a unit ends, if its job does not end first.
enum class UnitEnd {
    done,         ///< each of its scores is recorded
    interrupted,  ///< at a safe point, because of a request to stop
    left_out      ///< not begun, since it ends its jobs: open scores are recorded as failed
};

/// What a plan expects of a unit.
struct RecordedEstimate {
    std::string unit;         ///< id
    double memory_bytes = 0;  ///< of its first rank, with what all ranks share
    double seconds = 0;       ///< of what was left to do

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& unit& memory_bytes& seconds;
    }
};

/// Writes the lines of one team's work. A journal that cannot be written ends the job at once, with
/// the reason: what was flushed before stays, and the other ranks must not wait for this one.
class RunJournal {
public:
    /// With `ranks` = 1 a journal that cannot be written is an exception, `io::JournalError`.
    RunJournal(const std::string& out, const std::string& job_name, std::string fingerprint,
               int ranks = 1);

    /// Says that work on a unit begins, how it ended, and that a checkpoint of it was made; on disk
    /// when these return. `ended` and `progressed` mean the unit begun last, and do nothing without
    /// one.
    void started(const UnitStart& start);
    void ended(UnitEnd how);
    void progressed();
    /// Says that a unit is left out; on disk when this returns.
    void left_out(const std::string& unit);
    /// Takes the words of traces that earlier runs have left into the journal, then removes them.
    void take_over(const std::vector<LeftTrace>& traces);
    /// The name that its segment has in the folder.
    std::string segment_name() const;
    /// Where the trace of this journal's runs is to be.
    std::string trace_path() const;

    /// A score that cannot be computed, which the next run records anew: it is no line of `lines`.
    void impossible(core::ScoreRecord record);
    void folds(const FoldGroupResult& result);
    /// The coordinates of a benchmark's raw values (neuroids, time bins), once.
    void labels(const std::string& key, const std::vector<core::Coordinate>& coordinates);
    /// `raw` (may be empty) goes to the arrays; the record then says where it is, and when it was
    /// recorded.
    void score(core::ScoreRecord record, std::span<const double> raw);
    /// Does not count as a line.
    void estimate(const RecordedEstimate& estimate);
    /// Where the ranks' time went; see `times_json`. Does not count as a line.
    void times(const std::string& json) { segment_.append(json); }
    void flush_if_due();
    void flush();
    /// What the next run goes on from: fold groups, scores, failures, checkpoints of units.
    std::size_t lines() const { return lines_; }
    /// Keys of the scores that were recorded here as failed, and not as scored since.
    const std::set<std::string>& failed() const { return failed_; }

private:
    void append(const std::string& json);
    void append_end(const std::string& unit, UnitEnd how);
    void or_end_job(const std::function<void()>& write) const;

    io::JournalSegment segment_;
    std::string fingerprint_;
    std::set<std::string> labels_;
    std::string unit_;  ///< id of the one in work
    std::size_t lines_ = 0;
    std::set<std::string> failed_;
    int ranks_;
};

/// Which finished work a rerun does not repeat.
struct ResumeChoices {
    bool recompute = false;     ///< scores are fitted again, from the checkpoints there are
    bool retry_failed = false;  ///< failed scores are tried again whatever the reason
    /// Start of the names of segments whose scores and failures count all the same; empty: of none.
    std::string own_segments = {};
    bool trust_raw = false;   ///< raw values are not read, and so no fold groups
    double memory_bound = 0;  ///< of a rank, in bytes; 0: nobody has set one
    /// The scores that are asked for: lines of others are not looked into. Nothing: all.
    std::optional<std::set<std::string>> keys = {};
};

/// What earlier runs have finished.
struct Finished {
    std::map<std::string, std::string> scores;  ///< key → status
    /// Failed scores whose failure may be gone: key → reason. They are tried again.
    std::map<std::string, std::string> retried;
    /// Fold groups of scores that are not finished, of the same fingerprint.
    std::vector<FoldGroupResult> groups;
    std::map<std::string, RecordedEstimate> estimates;  ///< the latest of each unit, by its id

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& scores& retried& groups& estimates;
    }
    bool is_done(const std::string& key) const { return scores.count(key) > 0; }
};

/// Reads all segments of OUT/journal. A failed score counts as finished unless its failure may be
/// gone (transient; out of memory, within a smaller bound than now) or it is to be tried again.
/// Damaged lines are logged; what they held is computed again, and so is a score whose raw values
/// were kept and cannot be read.
Finished read_finished(const std::string& out, const std::string& fingerprint,
                       const ResumeChoices& choices);

}  // namespace ventral::pipeline

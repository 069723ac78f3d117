#pragma once
/// @file
/// What a run writes into its journal (`finished.hpp` reads it): which lines there are. Only the
/// first rank of a team writes.

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "io/journal/journal.hpp"
#include "pipeline/journal/recorded.hpp"
#include "pipeline/watch/crash_trace.hpp"

namespace ventral::pipeline {

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

}  // namespace ventral::pipeline

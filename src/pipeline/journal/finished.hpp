#pragma once
/// @file
/// What earlier runs have finished, as their journals say.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/score.hpp"
#include "pipeline/journal/recorded.hpp"

namespace ventral::pipeline {

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
    std::map<std::string, core::ScoreStatus> scores;  ///< by key
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
    /// Of the score of this key; nothing if it is not finished.
    std::optional<core::ScoreStatus> status_of(const std::string& key) const {
        const auto found = scores.find(key);
        return found == scores.end() ? std::nullopt : std::optional(found->second);
    }
};

/// Reads all segments of OUT/journal. A failed score counts as finished unless its failure may be
/// gone (transient; out of memory, and `has_more_room` now) or it is to be tried again.
/// Damaged lines are logged; what they held is computed again, and so is a score whose raw values
/// were kept and cannot be read.
Finished read_finished(const std::string& out, const std::string& fingerprint,
                       const ResumeChoices& choices);

}  // namespace ventral::pipeline

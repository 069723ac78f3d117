#pragma once
/// @file
/// A journal to write to, lines for it, and what a next run finds there.

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "pipeline/journal/finished.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "support/recorded_scores.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

inline pipeline::FoldGroupResult group(const std::string& key, std::uint64_t number) {
    pipeline::FoldGroupResult result;
    result.key = key;
    result.group = number;
    result.r = {0.25, std::nan(""), -0.0};
    result.margins.pls_stop = std::numeric_limits<double>::infinity();
    result.margins.guard = 1.0 / 3;
    result.route = "gram";
    result.rank = 2;
    result.seconds = 1.5;
    return result;
}

inline core::ScoreRecord record(const std::string& key, core::ScoreStatus status) {
    core::ScoreRecord score;
    score.key = key;
    score.status = status;
    return score;
}

inline core::ScoreRecord failure(const std::string& key, core::FailureClass failure_class) {
    auto score = record(key, core::ScoreStatus::failed);
    score.failure = core::Failure{failure_class, "why"};
    return score;
}

/// A folder for results with a journal.
struct JournalOutput {
    std::string path() const { return folder.path().string(); }
    pipeline::RunJournal journal(const std::string& fingerprint = "here") const {
        return {path(), "job", fingerprint};
    }
    pipeline::Finished finished(const pipeline::ResumeChoices& choices = {}) const {
        return pipeline::read_finished(path(), "here", choices);
    }
    void lose_raw_values() const {
        for (const auto& name : files_in(path() + "/journal"))
            if (std::filesystem::path(name).extension() == ".raw")
                std::filesystem::remove(path() + "/journal/" + name);
    }

    TemporaryFolder folder;
};

}  // namespace ventral::test

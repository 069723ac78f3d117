#include "pipeline/journal/failure_log.hpp"

#include "core/counted.hpp"

namespace ventral::pipeline {

FailureLog::~FailureLog() {
    for (const auto& [reason, said] : reasons_)
        if (said.others > 0)
            say_(core::counted(said.others, said.model.empty() ? "more score" : "score") +
                 (said.model.empty() ? "" : " of " + said.model) + " " + predicate_ +
                 " for the reason of " + said.score);
}

void FailureLog::add(const core::ScoreRecord& record) {
    const auto& reason = record.failure->reason;
    const auto score = record.model + (record.layer.empty() ? "" : ", " + record.layer) + " on " +
                       record.benchmark;
    const auto [said, is_new] = reasons_.try_emplace(reason, Said{score});
    if (!is_new) {
        ++said->second.others;
        return;
    }
    if (told_) {
        const auto [before, is_first] = told_->try_emplace(reason, score);
        if (!is_first) {
            said->second = {before->second, 1, record.model};
            return;
        }
    }
    say_(score + " " + predicate_ + ": " + reason);
}

}  // namespace ventral::pipeline

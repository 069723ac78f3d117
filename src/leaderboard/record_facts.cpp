#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {

std::string score_name(const core::ScoreRecord& record) {
    return "model " + record.model + " on benchmark " + record.benchmark +
           (record.layer.empty() ? "" : ", layer " + record.layer);
}

std::string time_of(const core::ScoreRecord& record) {
    return core::provenance_of(record, "recorded");
}

bool has_place(const core::ScoreRecord& record) {
    return !record.parent.empty() || !record.region.empty();
}

bool is_done(const core::ScoreRecord& record) {
    return record.status == core::ScoreStatus::scored ||
           record.status == core::ScoreStatus::not_applicable;
}

RecordOfName latest_of_each_name(const std::vector<core::ScoreRecord>& records,
                                 const std::function<bool(const core::ScoreRecord&)>& counts) {
    RecordOfName latest;
    for (const auto& record : records) {
        if (!counts(record)) continue;
        auto& known = latest[score_name(record)];
        if (!known || time_of(*known) <= time_of(record)) known = &record;
    }
    return latest;
}

}  // namespace ventral::leaderboard

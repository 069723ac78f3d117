#include "leaderboard/planned_scores.hpp"

#include <set>
#include <string>
#include <utility>

#include "core/record_lookup.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

using ModelOnBenchmark = std::pair<std::string, std::string>;

ModelOnBenchmark model_on_benchmark(const core::ScoreRecord& record) {
    return {record.model, record.benchmark};
}

bool is_of(const std::string& run_file, const core::ScoreRecord& record) {
    return core::provenance_of(record, core::config_entry) == run_file;
}

/// The place that the record is listed at, if it is.
void take_listed_place(core::ScoreRecord& record, const core::RecordOfKey& listed) {
    const auto found = listed.find(record.key);
    if (found != listed.end() && has_place(*found->second)) take_place(record, *found->second);
}

/// What is known of the models and benchmarks that are not planned together.
class Unplanned {
public:
    Unplanned(const std::vector<core::ScoreRecord>& records,
              const std::vector<core::ScoreRecord>& listed)
        : listed_(core::by_key(listed)) {
        for (const auto& record : listed) listed_pairs_.insert(model_on_benchmark(record));
        latest_ = latest_of_each_name(
            records, [&](const auto& record) { return is_done(record) && may_stay(record); });
    }

    bool is_current(const core::ScoreRecord& record) const {
        if (!may_stay(record)) return false;
        const auto latest = latest_.find(score_name(record));
        return latest == latest_.end() || !is_done(record) || latest->second == &record;
    }

    void place(core::ScoreRecord& record) const { take_listed_place(record, listed_); }

private:
    bool may_stay(const core::ScoreRecord& record) const {
        return !listed_pairs_.contains(model_on_benchmark(record)) || listed_.contains(record.key);
    }

    std::set<ModelOnBenchmark> listed_pairs_;
    core::RecordOfKey listed_;
    RecordOfName latest_;
};

}  // namespace

void take_planned(Night& night, const std::vector<core::ScoreRecord>& planned,
                  const std::vector<core::ScoreRecord>& listed,
                  const std::optional<std::string>& all_of) {
    auto open = core::by_key(planned);
    std::set<ModelOnBenchmark> pairs;
    for (const auto& record : planned) pairs.insert(model_on_benchmark(record));
    const Unplanned unplanned(night.records, listed);
    std::vector<core::ScoreRecord> kept;
    std::set<std::string> known;  // keys
    for (auto& record : night.records) {
        known.insert(record.key);
        const auto found = open.find(record.key);
        if (found != open.end()) {
            take_place(record, *found->second);
            kept.push_back(std::move(record));
            open.erase(found);
        } else if (!pairs.contains(model_on_benchmark(record)) && unplanned.is_current(record)) {
            unplanned.place(record);
            kept.push_back(std::move(record));
        }
    }
    for (const auto& [key, record] : open) kept.push_back(as_pending(*record));
    for (const auto& record : listed)
        if (is_promised(record) && has_place(record) && !known.contains(record.key) &&
            !pairs.contains(model_on_benchmark(record)) && !(all_of && is_of(*all_of, record)))
            kept.push_back(as_pending(record));
    night.records = std::move(kept);
    sort_records(night.records);
}

void take_listed_places(std::vector<core::ScoreRecord>& records,
                        const std::vector<core::ScoreRecord>& listed) {
    const auto place_of = core::by_key(listed);
    for (auto& record : records) take_listed_place(record, place_of);
}

void keep_listed(std::vector<core::ScoreRecord>& records,
                 const std::vector<core::ScoreRecord>& listed) {
    auto place_of = core::by_key(listed);
    std::erase_if(records, [&](const auto& record) { return !place_of.contains(record.key); });
    for (auto& record : records) {
        take_place(record, *place_of.at(record.key));
        place_of.erase(record.key);
    }
    for (const auto& [key, place] : place_of)
        if (is_promised(*place)) records.push_back(as_pending(*place));
    sort_records(records);
}

}  // namespace ventral::leaderboard

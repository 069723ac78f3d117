#include "leaderboard/planned_scores.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "leaderboard/agreement.hpp"
#include "leaderboard/superseded.hpp"

namespace ventral::leaderboard {
namespace {

using ModelOnBenchmark = std::pair<std::string, std::string>;

ModelOnBenchmark model_on_benchmark(const core::ScoreRecord& record) {
    return {record.model, record.benchmark};
}

bool is_without_place(const core::ScoreRecord& record) {
    return record.parent.empty() && record.region.empty();
}

bool is_of(const std::string& run_file, const core::ScoreRecord& record) {
    const auto config = record.provenance.find(core::config_entry);
    return config != record.provenance.end() && config->second == run_file;
}

/// What is known of the models and benchmarks that are not planned together.
class Unplanned {
public:
    Unplanned(const std::vector<core::ScoreRecord>& records,
              const std::vector<core::ScoreRecord>& listed) {
        for (const auto& record : listed) {
            listed_pairs_.insert(model_on_benchmark(record));
            listed_[record.key] = &record;
        }
        for (const auto& record : records) {
            if (!is_done(record) || !may_stay(record)) continue;
            auto& latest = latest_[score_name(record)];
            if (!latest || time_of(*latest) <= time_of(record)) latest = &record;
        }
    }

    bool is_current(const core::ScoreRecord& record) const {
        if (!may_stay(record)) return false;
        const auto latest = latest_.find(score_name(record));
        return latest == latest_.end() || !is_done(record) || latest->second == &record;
    }

    /// The place that it is listed at, if it is. A scores.csv tells none.
    void place(core::ScoreRecord& record) const {
        const auto listed = listed_.find(record.key);
        if (listed != listed_.end() && !is_without_place(*listed->second))
            take_place(record, *listed->second);
    }

private:
    bool may_stay(const core::ScoreRecord& record) const {
        return !listed_pairs_.contains(model_on_benchmark(record)) || listed_.contains(record.key);
    }

    std::set<ModelOnBenchmark> listed_pairs_;
    std::map<std::string, const core::ScoreRecord*> listed_;  ///< by key
    std::map<std::string, const core::ScoreRecord*> latest_;  ///< by `score_name`
};

}  // namespace

void take_planned(Night& night, const std::vector<core::ScoreRecord>& planned,
                  const std::vector<core::ScoreRecord>& listed,
                  const std::optional<std::string>& all_of) {
    std::map<std::string, const core::ScoreRecord*> open;
    std::set<ModelOnBenchmark> pairs;
    for (const auto& record : planned) {
        open[record.key] = &record;
        pairs.insert(model_on_benchmark(record));
    }
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
        if (is_promised(record) && !is_without_place(record) && !known.contains(record.key) &&
            !pairs.contains(model_on_benchmark(record)) && !(all_of && is_of(*all_of, record)))
            kept.push_back(as_pending(record));
    night.records = std::move(kept);
    sort_records(night.records);
}

}  // namespace ventral::leaderboard

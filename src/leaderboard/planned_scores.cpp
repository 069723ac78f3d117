#include "leaderboard/planned_scores.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "leaderboard/superseded.hpp"

namespace ventral::leaderboard {
namespace {

using ModelOnBenchmark = std::pair<std::string, std::string>;
using ScoreName = std::tuple<std::string, std::string, std::string, std::string>;

ModelOnBenchmark model_on_benchmark(const core::ScoreRecord& record) {
    return {record.model, record.benchmark};
}

ScoreName full_name(const core::ScoreRecord& record) {
    return {record.model, record.benchmark, record.layer, record.slice};
}

bool has_result(const core::ScoreRecord& record) {
    return record.status == core::ScoreStatus::scored ||
           record.status == core::ScoreStatus::not_applicable;
}

/// What is known of the models and benchmarks that are not planned together.
class Unplanned {
public:
    Unplanned(const std::vector<core::ScoreRecord>& records,
              const std::vector<core::ScoreRecord>& listed) {
        for (const auto& record : listed) {
            listed_pairs_.insert(model_on_benchmark(record));
            listed_keys_.insert(record.key);
        }
        for (const auto& record : records) {
            if (!has_result(record) || !may_stay(record)) continue;
            auto& latest = latest_[full_name(record)];
            if (!latest || time_of(*latest) <= time_of(record)) latest = &record;
        }
    }

    bool is_current(const core::ScoreRecord& record) const {
        if (!may_stay(record)) return false;
        const auto latest = latest_.find(full_name(record));
        return latest == latest_.end() || !has_result(record) || latest->second == &record;
    }

private:
    bool may_stay(const core::ScoreRecord& record) const {
        return !listed_pairs_.contains(model_on_benchmark(record)) ||
               listed_keys_.contains(record.key);
    }

    std::set<ModelOnBenchmark> listed_pairs_;
    std::set<std::string> listed_keys_;
    std::map<ScoreName, const core::ScoreRecord*> latest_;
};

core::ScoreRecord pending(core::ScoreRecord record) {
    record.status = core::ScoreStatus::pending;
    record.failure.reset();
    return record;
}

}  // namespace

void take_planned(Night& night, const std::vector<core::ScoreRecord>& planned,
                  const std::vector<core::ScoreRecord>& listed) {
    std::map<std::string, const core::ScoreRecord*> open;
    std::set<ModelOnBenchmark> pairs;
    for (const auto& record : planned) {
        open[record.key] = &record;
        pairs.insert(model_on_benchmark(record));
    }
    const Unplanned unplanned(night.records, listed);
    std::vector<core::ScoreRecord> kept;
    std::set<std::string> known;  // keys
    for (const auto& record : night.records) {
        known.insert(record.key);
        const auto found = open.find(record.key);
        if (found != open.end()) {
            kept.push_back(record);
            kept.back().committed = found->second->committed;
            kept.back().parent = found->second->parent;
            kept.back().region = found->second->region;
            open.erase(found);
        } else if (!pairs.contains(model_on_benchmark(record)) && unplanned.is_current(record)) {
            kept.push_back(record);
        }
    }
    for (const auto& [key, record] : open) kept.push_back(pending(*record));
    for (const auto& record : listed)
        if (record.status == core::ScoreStatus::pending && !known.contains(record.key) &&
            !pairs.contains(model_on_benchmark(record)))
            kept.push_back(record);
    night.records = std::move(kept);
    sort_records(night.records);
}

}  // namespace ventral::leaderboard

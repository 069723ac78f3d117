#include "leaderboard/superseded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

using Subject = std::tuple<std::string, std::string, int>;  // model, benchmark, version

Subject subject_of(const core::ScoreRecord& record) {
    return {record.model, record.benchmark, record.version};
}

bool replaces(const core::ScoreRecord& record, const core::ScoreRecord& failure,
              const std::map<std::string, std::string>& listed) {
    const bool is_of_it = failure.layer.empty() || record.layer == failure.layer;
    if (!is_of_it || record.status == core::ScoreStatus::pending) return false;
    if (record.status == core::ScoreStatus::failed) return time_of(record) > time_of(failure);
    const auto tables = listed.find(record.key);
    const bool is_found_again = tables != listed.end() && !listed.contains(failure.key) &&
                                tables->second > time_of(failure);
    return is_found_again || time_of(record) >= time_of(failure);
}

}  // namespace

void drop_superseded(std::vector<core::ScoreRecord>& records,
                     const std::map<std::string, std::string>& listed) {
    std::map<Subject, std::vector<const core::ScoreRecord*>> of_subject;
    for (const auto& record : records) of_subject[subject_of(record)].push_back(&record);
    std::set<std::string> dropped;  // keys
    for (const auto& record : records) {
        if (record.status != core::ScoreStatus::failed) continue;
        const auto& others = of_subject.at(subject_of(record));
        if (std::any_of(others.begin(), others.end(),
                        [&](const auto* other) { return replaces(*other, record, listed); }))
            dropped.insert(record.key);
    }
    std::erase_if(records, [&](const auto& record) { return dropped.count(record.key) > 0; });
}

}  // namespace ventral::leaderboard

#include "leaderboard/superseded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ventral::leaderboard {
namespace {

using Pair = std::tuple<std::string, std::string, int>;

Pair pair_of(const core::ScoreRecord& record) {
    return {record.model, record.benchmark, record.version};
}

bool replaces(const core::ScoreRecord& record, const core::ScoreRecord& failure) {
    const bool same_name = failure.layer.empty() || std::tie(record.layer, record.slice) ==
                                                        std::tie(failure.layer, failure.slice);
    if (!same_name || record.status == core::ScoreStatus::pending) return false;
    if (record.status == core::ScoreStatus::failed) return time_of(record) > time_of(failure);
    return time_of(record) >= time_of(failure);
}

}  // namespace

std::string time_of(const core::ScoreRecord& record) {
    return core::provenance_of(record, "recorded");
}

void drop_superseded(std::vector<core::ScoreRecord>& records) {
    std::map<Pair, std::vector<const core::ScoreRecord*>> pairs;
    for (const auto& record : records) pairs[pair_of(record)].push_back(&record);
    std::set<std::string> dropped;  // keys
    for (const auto& record : records) {
        if (record.status != core::ScoreStatus::failed) continue;
        const auto& others = pairs.at(pair_of(record));
        if (std::any_of(others.begin(), others.end(),
                        [&](const auto* other) { return replaces(*other, record); }))
            dropped.insert(record.key);
    }
    std::erase_if(records, [&](const auto& record) { return dropped.count(record.key) > 0; });
}

}  // namespace ventral::leaderboard

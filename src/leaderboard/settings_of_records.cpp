#include "leaderboard/settings_of_records.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "core/counted.hpp"
#include "core/text.hpp"

namespace ventral::leaderboard {

std::string settings_text(std::vector<std::string> settings) {
    if (settings.empty()) return "none";
    std::sort(settings.begin(), settings.end());
    return core::joined(settings, "; ");
}

std::optional<std::string> mixed_settings(const std::vector<core::ScoreRecord>& records,
                                          const std::set<std::string>& planned,
                                          const std::string& settings) {
    std::map<std::string, std::size_t> counts;
    for (const auto& record : records) {
        const auto entry = core::provenance_of(record, settings_entry);
        if (planned.count(record.key) > 0)
            ++counts[settings];
        else if (!entry.empty())
            ++counts[entry];
    }
    if (counts.size() < 2) return std::nullopt;
    std::string all;
    for (const auto& [text, count] : counts)
        core::add_part(all, text + ": " + core::counted(count, "score"));
    return "the tables mix scores of runs with different --set (" + all +
           ") give a run with other settings a folder of its own";
}

}  // namespace ventral::leaderboard

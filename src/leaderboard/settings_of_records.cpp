#include "leaderboard/settings_of_records.hpp"

#include "core/counted.hpp"

namespace ventral::leaderboard {

std::string settings_text(const std::vector<std::string>& settings) {
    if (settings.empty()) return "none";
    std::string text;
    for (const auto& setting : settings) text += (text.empty() ? "" : "; ") + setting;
    return text;
}

std::optional<std::string> other_settings(const std::vector<core::ScoreRecord>& records,
                                          const std::set<std::string>& planned,
                                          const std::string& settings) {
    std::size_t others = 0;
    std::string example;
    for (const auto& record : records) {
        if (planned.count(record.key) > 0) continue;
        const auto entry = record.provenance.find(settings_entry);
        if (entry == record.provenance.end() || entry->second == settings) continue;
        if (others++ == 0) example = entry->second;
    }
    if (others == 0) return std::nullopt;
    return core::counted(others, "score") + " in the tables " + (others == 1 ? "is" : "are") +
           " of runs with another --set (" + example + ", this run: " + settings +
           ") give a run with other settings a folder of its own";
}

}  // namespace ventral::leaderboard

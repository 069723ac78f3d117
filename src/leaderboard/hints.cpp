#include "leaderboard/hints.hpp"

#include <map>
#include <optional>

#include "core/counted.hpp"
#include "leaderboard/cell_text.hpp"

namespace ventral::leaderboard {
namespace {

bool is_odd_ceiling(const std::optional<core::CeilingValue>& ceiling) {
    return ceiling && (ceiling->value > 1 || ceiling->value <= 0);
}

std::string ceiling_hint(const core::ScoreRecord& record) {
    const char* what = record.ceiling->value > 1
                           ? " is above 1 (mostly too few repetitions, or repetitions that are not "
                             "independent)"
                           : " is not above 0 (repetitions that do not agree): scores that are "
                             "divided by it say nothing";
    return benchmark_text(record) + ": the ceiling " + rounded(record.ceiling->value) + what;
}

/// Scores of one benchmark that are odd in one way.
struct OddScores {
    const char* name;  ///< of what is odd of them
    std::optional<double> core::ScoreRecord::*value;
    const char* how;
    const char* why;
    std::map<std::string, std::vector<const core::ScoreRecord*>> by_benchmark = {};

    void add_to(std::vector<std::string>& lines) const {
        for (const auto& [benchmark, scores] : by_benchmark) {
            const auto& first = *scores.front();
            lines.push_back(benchmark + ": " + core::counted(scores.size(), name) +
                            (scores.size() == 1 ? " is " : " are ") + how + ", " +
                            rounded(first.*value) + " for model " + first.model + ", layer " +
                            first.layer + " (" + why + ")");
        }
    }
};

}  // namespace

std::vector<std::string> hints(const std::vector<core::ScoreRecord>& records) {
    std::map<std::string, const core::ScoreRecord*> odd_ceilings;
    OddScores above_one{
        "score", &core::ScoreRecord::value, "above 1",
        "predictions that agree better with the recordings than these among themselves"};
    OddScores negative{"raw score", &core::ScoreRecord::raw_value, "negative",
                       "features that tell nothing, or stimulus ids that do not match between "
                       "stimuli and recordings"};
    for (const auto& record : records) {
        const auto benchmark = benchmark_text(record);
        if (is_odd_ceiling(record.ceiling)) odd_ceilings.emplace(benchmark, &record);
        if (record.ceiling && record.value.value_or(0) > 1)
            above_one.by_benchmark[benchmark].push_back(&record);
        if (record.raw_value.value_or(0) < 0) negative.by_benchmark[benchmark].push_back(&record);
    }
    std::vector<std::string> lines;
    for (const auto& [benchmark, record] : odd_ceilings) lines.push_back(ceiling_hint(*record));
    above_one.add_to(lines);
    negative.add_to(lines);
    return lines;
}

}  // namespace ventral::leaderboard

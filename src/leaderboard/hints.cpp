#include "leaderboard/hints.hpp"

#include <map>

#include "leaderboard/cell_text.hpp"

namespace ventral::leaderboard {
namespace {

std::string ceiling_hint(const core::ScoreRecord& record) {
    return benchmark_text(record) + ": the ceiling " + rounded(record.ceiling->value) +
           " is above 1 (mostly too few repetitions, or repetitions that are not independent)";
}

std::string negative_hint(const core::ScoreRecord& first, std::size_t count) {
    const std::string scores =
        count == 1 ? "1 raw score is" : std::to_string(count) + " raw scores are";
    return benchmark_text(first) + ": " + scores + " negative, " + rounded(first.raw_value) +
           " for model " + first.model + ", layer " + first.layer +
           " (features that tell nothing, or stimulus ids that do not match between stimuli and "
           "recordings)";
}

}  // namespace

std::vector<std::string> hints(const std::vector<core::ScoreRecord>& records) {
    std::map<std::string, const core::ScoreRecord*> above_one;
    std::map<std::string, std::vector<const core::ScoreRecord*>> negative;
    for (const auto& record : records) {
        const auto benchmark = benchmark_text(record);
        if (record.ceiling && record.ceiling->value > 1) above_one.emplace(benchmark, &record);
        if (record.raw_value && *record.raw_value < 0) negative[benchmark].push_back(&record);
    }
    std::vector<std::string> lines;
    for (const auto& [benchmark, record] : above_one) lines.push_back(ceiling_hint(*record));
    for (const auto& [benchmark, some] : negative)
        lines.push_back(negative_hint(*some.front(), some.size()));
    return lines;
}

}  // namespace ventral::leaderboard

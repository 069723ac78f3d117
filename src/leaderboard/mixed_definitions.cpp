#include "leaderboard/mixed_definitions.hpp"

#include <cmath>
#include <cstddef>
#include <map>

#include "core/counted.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "leaderboard/record_facts.hpp"

namespace ventral::leaderboard {
namespace {

using Definition = std::vector<std::string>;
using Counts = std::map<Definition, std::size_t>;

/// In fewer digits than hosts of other numerics agree on.
std::string rounded_ceiling(const core::CeilingValue& ceiling) {
    return core::number_text(std::round(ceiling.value * 1e6) / 1e6);
}

/// As many entries of every record.
Definition definition_of(const core::ScoreRecord& record) {
    Definition definition = {
        "version " + std::to_string(record.version), "parent " + record.parent,
        "normalisation " + record.normalisation,
        record.ceiling ? "ceiling " + rounded_ceiling(*record.ceiling) : "no ceiling"};
    constexpr std::size_t shown_digits = 8;
    for (const char* part : {"stimuli", "recordings", "selection", "metric"})
        definition.push_back(part +
                             (" " + core::provenance_of(record, part).substr(0, shown_digits)));
    return definition;
}

/// Where not all of them say the same.
std::string difference(const Definition& definition, const Counts& all) {
    std::string text;
    for (std::size_t i = 0; i < definition.size(); ++i) {
        bool is_common = true;
        for (const auto& [other, count] : all) is_common = is_common && other[i] == definition[i];
        if (!is_common) core::add_part(text, definition[i]);
    }
    return text;
}

}  // namespace

std::vector<std::string> mixed_definitions(const std::vector<core::ScoreRecord>& records) {
    const auto latest = latest_of_each_name(
        records, [](const auto& record) { return record.status == core::ScoreStatus::scored; });
    std::map<std::string, Counts> counts;  // by benchmark
    for (const auto& [name, record] : latest) ++counts[record->benchmark][definition_of(*record)];
    std::vector<std::string> warnings;
    for (const auto& [benchmark, definitions] : counts) {
        if (definitions.size() < 2) continue;
        std::string all;
        for (const auto& [definition, count] : definitions)
            core::add_part(
                all, difference(definition, definitions) + ": " + core::counted(count, "score"),
                "; ");
        warnings.push_back("benchmark '" + benchmark +
                           "': the tables have scores of different definitions (" + all +
                           ") run all its models again, give the new one an identifier of its "
                           "own, or leave out what is not planned any more (report --current)");
    }
    return warnings;
}

}  // namespace ventral::leaderboard

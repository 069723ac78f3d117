#include "benchmarks/unlike_recordings.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/counted.hpp"
#include "core/text.hpp"

namespace ventral::benchmarks {
namespace {

std::set<std::string> names_in(const core::Coordinate& coordinate) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < core::value_count(coordinate.values); ++i)
        names.insert(core::text(coordinate.values, i));
    return names;
}

std::size_t count_beyond(const std::set<std::string>& names, const std::set<std::string>& others) {
    return static_cast<std::size_t>(std::count_if(
        names.begin(), names.end(), [&](const auto& name) { return !others.contains(name); }));
}

/// Of one coordinate; nothing where one has none.
std::string difference(const core::Assembly& scored, const core::Assembly& repetitions,
                       const std::string& coordinate) {
    const auto* of_scored = core::find_coordinate(scored, coordinate);
    const auto* of_repetitions = core::find_coordinate(repetitions, coordinate);
    if (!of_scored || !of_repetitions) return "";
    const auto wanted = names_in(*of_scored);
    const auto present = names_in(*of_repetitions);
    std::string text;
    if (const auto lacking = count_beyond(wanted, present); lacking > 0)
        text = "lacks " + std::to_string(lacking) + " of " +
               core::counted(wanted.size(), coordinate) + " that are scored";
    if (const auto more = count_beyond(present, wanted); more > 0)
        core::add_part(text, "has " + core::counted(more, coordinate) + " more");
    return text;
}

}  // namespace

std::optional<std::string> unlike_recordings(const core::Assembly& scored,
                                             const core::Assembly& repetitions) {
    std::string text;
    for (const auto& part : {difference(scored, repetitions, "stimulus_id"),
                             difference(scored, repetitions, "neuroid_id")})
        if (!part.empty()) core::add_part(text, part);
    if (text.empty()) return std::nullopt;
    return text;
}

}  // namespace ventral::benchmarks

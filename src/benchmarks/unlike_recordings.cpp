#include "benchmarks/unlike_recordings.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/counted.hpp"
#include "core/text.hpp"

namespace ventral::benchmarks {
namespace {

std::set<std::string> names_in(const core::Assembly& assembly, const std::string& coordinate) {
    const auto names = core::texts(assembly, coordinate);
    return {names.begin(), names.end()};
}

std::size_t count_beyond(const std::set<std::string>& names, const std::set<std::string>& others) {
    return static_cast<std::size_t>(std::count_if(
        names.begin(), names.end(), [&](const auto& name) { return !others.contains(name); }));
}

/// Of one coordinate; nothing where one has none.
std::string difference(const core::Assembly& scored, const core::Assembly& repetitions,
                       const std::string& coordinate) {
    for (const auto* each : {&scored, &repetitions})
        if (!core::find_coordinate(*each, coordinate)) return "";
    const auto wanted = names_in(scored, coordinate);
    const auto present = names_in(repetitions, coordinate);
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

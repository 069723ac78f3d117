#pragma once
/// @file
/// Which presentations are repetitions of each other.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::core {

/// Rows ordered by their label tuples; group g is `order[starts[g]]` … `order[starts[g + 1] - 1]`.
struct RepetitionGroups {
    std::vector<std::size_t> order;
    std::vector<std::size_t> starts;

    std::size_t count() const { return starts.size() - 1; }
};

/// Groups the presentations that agree in all presentation coordinates but `repetition`; groups in
/// sorted order of these coordinate tuples (in storage order of the coordinates), rows of a group
/// in stored order. Throws `InputError` if there is no coordinate `repetition` along
/// `presentation`, or no other.
RepetitionGroups repetition_groups(const Assembly& assembly);

/// A stimulus (`stimulus_id`) that is in several groups, and the coordinate that differs there.
struct SplitRepetitions {
    std::string coordinate;
    std::string stimulus;
};

/// The first of them; nothing if each stimulus is in one group.
std::optional<SplitRepetitions> split_repetitions(const Assembly& assembly,
                                                  const RepetitionGroups& groups);

}  // namespace ventral::core

#pragma once
/// @file
/// Which presentations are repetitions of each other.

#include <optional>
#include <string>

#include "core/assembly.hpp"
#include "core/group_means.hpp"

namespace ventral::core {

/// Groups the presentations that agree in all presentation coordinates but `repetition`; groups in
/// sorted order of these coordinate tuples (in storage order of the coordinates), rows of a group
/// in stored order. Throws `InputError` if there is no coordinate `repetition` along
/// `presentation`, or no other.
RowGroups repetition_groups(const Assembly& assembly);

/// A stimulus (`stimulus_id`) that is in several groups, and the coordinate that differs there.
struct SplitRepetitions {
    std::string coordinate;
    std::string stimulus;
};

/// The first of them; nothing if each stimulus is in one group.
std::optional<SplitRepetitions> split_repetitions(const Assembly& assembly,
                                                  const RowGroups& groups);

}  // namespace ventral::core

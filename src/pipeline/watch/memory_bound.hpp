#pragma once
/// @file
/// What the record of a score that ran out of memory says of the bound.

#include <cstddef>
#include <string>

#include "core/score.hpp"

namespace ventral::pipeline {

/// With less than this beside the program nothing can be scored, nor a failure be recorded: no run
/// begins.
inline constexpr double least_room_of_a_rank = 64 << 20;
/// By how much a rank may take more than at an earlier start: what is said to be enough has it too.
inline constexpr double differs_from_start_to_start = 4 << 20;

/// Whether a rank that may take `bound` bytes has so much more than one with `before` that what was
/// too large then is worth another try.
inline bool has_more_room(double bound, double before) {
    return bound >= before + differs_from_start_to_start;
}

/// What a rank may take, and who says so.
struct MemoryBound {
    double bytes = 0;                       ///< 0: nobody has set that
    std::string source = {};                ///< "--memory", the file of a cgroup, …
    std::string remedy = "raise --memory";  ///< what gives a rank more
    bool is_of_node = true;                 ///< shared by its ranks, not the same for any number
};

/// How the memory of a node was shared when there was too little of it.
struct MemoryShare {
    MemoryBound bound = {};
    std::size_t ranks = 1;    ///< on the node
    std::size_t threads = 1;  ///< of each rank
    double expected = 0;      ///< bytes that the plan expects of the unit's first rank; 0: unknown
};

/// Adds the bound to the record's memory as "bound", with which a run knows whether another try has
/// more, and to the first line of its reason (torch adds a backtrace) whose limit it is and what
/// would help.
void note_memory_bound(core::ScoreRecord& record, const MemoryShare& share);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Which units and ceilings have ended their jobs before: what the journal and the traces beside it
/// say of attempts that began and never ended, and what follows for the next one.
///
/// A death is explained if a rank has left in its trace what ended it (a fault, an exception that
/// nobody expects, that nothing moved any more), else it may be nobody's fault: SIGKILL, a lost
/// node, the out-of-memory killer. What was asked to stop has not died, nor have units whose
/// journal could not be written. Only deaths since the unit's last progress count: a score, folds,
/// a checkpoint, a stop in order.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "io/journal/read_journal.hpp"
#include "pipeline/watch/crash_trace.hpp"

namespace ventral::pipeline {

/// One death for want of progress or memory, two otherwise explained ones, three others, or one of
/// both and one more other: the unit is from then on run alone, until it comes to its end.
inline constexpr int points_of_want = 6;
inline constexpr int points_of_explained_death = 3;
inline constexpr int points_of_other_death = 2;
inline constexpr int points_to_run_alone = 6;
/// Then it is left out after one such or explained death alone, or this many others.
inline constexpr int other_deaths_alone = 3;

struct UnitHistory {
    std::uint64_t attempts = 0;
    bool alone = false;     ///< nothing else is to be in work beside it
    bool left_out = false;  ///< its open scores are to be recorded as failed
    core::FailureClass death = core::FailureClass::crashed;  ///< as what the last one counts
    std::string deaths;   ///< "3 times without progress (…), last …", for people; empty: none
    std::string in_work;  ///< "host H, process P": where another run is at it now; empty: nowhere

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& attempts& alone& left_out& death& deaths& in_work;
    }
};

/// "2 times (…), last …; it is left out until …".
std::string why_left_out(const UnitHistory& history);

using UnitHistories =
    std::map<std::string, UnitHistory>;  ///< by id of the unit, key of the ceiling

/// Of the unit or ceiling; where nothing is known of it, that of a first attempt.
UnitHistory history_of(const std::string& key, const UnitHistories& histories);

/// A fresh chance for what is left out, or none.
struct Pardon {
    bool is_given = false;
    /// Start of the names of the segments since when it has been; empty: since now.
    std::string since_segments;
};

/// Attempts are taken in the order of their times, which all hosts should roughly agree on.
/// A ceiling has no attempts, and no progress but its end: what is counted is how often a job died
/// while a rank was at it. The same is counted of a unit that a rank worked for ahead: what ended
/// that rank is not the fault of the unit that its team was at. `pardon` is for ceilings: units
/// have theirs once they are recorded. Deaths for want of memory count where a rank may take no
/// more than then: `memory_bound` bytes, 0 if nobody bounds it.
UnitHistories unit_histories(const io::JournalSource& lines, const std::vector<LeftTrace>& traces,
                             const Pardon& pardon = {}, double memory_bound = 0);

/// What earlier runs have left of the units that ended their jobs.
struct Past {
    UnitHistories histories;
    std::vector<LeftTrace> traces;
};

/// Of the journal in `out`, as `unit_histories`.
Past read_past(const std::string& out, const Pardon& pardon = {}, double memory_bound = 0);

}  // namespace ventral::pipeline

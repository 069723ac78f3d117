#pragma once
/// @file
/// What has changed in the scores since an earlier night, and why.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// In the order of a diff.
enum class ChangeKind {
    other_bits,    ///< equal inputs, and not the same numbers: see `agreement.hpp`
    newly_failed,  ///< failed now, and not before
    open,          ///< planned now, and not computed
    changed,       ///< other inputs, or another normalisation; the value may be the same
    cured,         ///< failed before, done now
    added,         ///< only now
    gone           ///< only before
};
inline constexpr std::array change_kinds = {
    ChangeKind::other_bits, ChangeKind::newly_failed, ChangeKind::open, ChangeKind::changed,
    ChangeKind::cured,      ChangeKind::added,        ChangeKind::gone};
/// "other bits", "newly failed", "not computed", "changed", "cured", "new", "gone".
std::string name_of(ChangeKind kind);

struct ScoreChange {
    ChangeKind kind = ChangeKind::changed;
    std::optional<core::ScoreRecord> before, now;
    std::string reason;  ///< what changed, how the bits differ, or why it failed; may be empty
};

struct NightDiff {
    std::vector<ScoreChange> changes;  ///< by kind, then as `sort_records` has them
    std::size_t unchanged = 0;         ///< scores as before, failed ones too
    std::size_t still_failed = 0;      ///< of the unchanged
};

/// Compares scores of one model, benchmark and layer, whatever the version. Of several the
/// latest counts (`time_of`), for equal keys all are compared, without what follows from the
/// normalisation if one side does not say which it was. A failure without a layer is that of all
/// layers of its model and benchmark: they are not gone then, and cured rather than new when they
/// are scored.
NightDiff night_diff(const std::vector<core::ScoreRecord>& before,
                     const std::vector<core::ScoreRecord>& now);

std::size_t count(const NightDiff& diff, ChangeKind kind);

}  // namespace ventral::leaderboard

#pragma once
/// @file
/// Whether two records of one score say the same, as a score is a function of its inputs and of the
/// numerics' fingerprint alone.

#include <optional>
#include <string>

#include "core/score.hpp"

namespace ventral::leaderboard {

/// How far scores of different fingerprints may be apart, absolutely.
inline constexpr double agreement_tolerance = 1e-9;

/// Likewise scores of networks that were run: their float32 activations differ in the last digits
/// from one instruction set to another. With AVX2 and AVX-512 the scores of configs/runs/v4.toml
/// are up to 1e-7 apart; ranks of dissimilarities, and where PLS stops, may flip.
inline constexpr double network_agreement_tolerance = 1e-5;

/// Whether both were computed by the same numerics (provenance "fingerprint"), so that every bit
/// counts.
bool is_same_fingerprint(const core::ScoreRecord& left, const core::ScoreRecord& right);

/// Both of one fingerprint (provenance "fingerprint") and equal in every bit of value, error,
/// raw value, ceiling, the ceiling's error, those of all slices, and the raw values where both have
/// kept theirs. All NaNs are alike.
bool is_repetition(const core::ScoreRecord& left, const core::ScoreRecord& right);

/// The conflict between two scored records of one key, for people, or nothing if they agree: in
/// every bit for one fingerprint, within the tolerance for two.
std::optional<std::string> disagreement(const core::ScoreRecord& left,
                                        const core::ScoreRecord& right);

}  // namespace ventral::leaderboard

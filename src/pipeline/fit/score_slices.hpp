#pragma once
/// @file
/// What a record says of a score and its ceiling, as numbers and, with time bins, as vectors.

#include <string>

#include "core/score.hpp"

namespace ventral::pipeline {

/// Puts the numbers of `score` into `record`, normalised as the record says; `ceiling` is null
/// where there is none. Of a score over time bins each bin is a slice, normalised by the ceiling's
/// slice of that name or, if the ceiling is one number, by that; the record's value is the mean of
/// the slices' (NaN skipped). What is normalised neuroid by neuroid takes the raw values of both.
/// Throws `core::InputError` if the ceiling lacks a slice, or its neuroids.
void put_score(core::ScoreRecord& record, const core::Score& score,
               const core::CeilingValue* ceiling);

/// Normalises a record otherwise, from its raw values and ceilings, slice by slice. False, with
/// nothing changed, where it lacks some of them.
bool normalise_again(core::ScoreRecord& record, const std::string& normalisation);

/// The same neuroid by neuroid, with the raw values of its splits and its ceiling. Throws
/// `core::InputError` where these do not belong together.
void normalise_neuroids_again(core::ScoreRecord& record, const core::Assembly& raw,
                              const core::CeilingValue& ceiling);

/// The ceiling that a metric-like score is: with time bins a slice for each, else with a value for
/// each neuroid, if the score has them.
core::CeilingValue ceiling_value(const core::Score& score);

}  // namespace ventral::pipeline

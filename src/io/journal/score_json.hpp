#pragma once
/// @file
/// Scores and score records as JSON and back: all digits, NaN as null, infinities as "inf", "-inf".

#include <functional>
#include <string>

#include "core/score.hpp"

namespace ventral::io {

/// `value`, `error` and `raw` in the shape of the goldens' `expected`: {dims, shape, values,
/// coords: {name: {dims, values}}, attrs}.
std::string to_json(const core::Score& score);

/// Value, error and raw values of what `to_json` wrote of a score. Where it has vectors the numbers
/// that are their means stay 0 and absent. Throws `core::InputError` if it is of another form.
core::Score score_from_json(const std::string& json);

/// {dims, shape, dtype, values, coords, attrs}, as `raw` of a score.
std::string to_json(const core::Assembly& array);

/// One line. Absent optionals are left out; NaN in a present one is null.
std::string to_json(const core::ScoreRecord& record);

/// Throws `core::InputError` if a member is missing or of the wrong type.
core::ScoreRecord score_record_from_json(const std::string& json);

/// Calls `take` for each of an array of them, so that no more than one need be in memory. Throws
/// likewise, and what `take` does.
void for_each_score_record(const std::string& json,
                           const std::function<void(core::ScoreRecord)>& take);

}  // namespace ventral::io

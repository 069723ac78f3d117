#pragma once
/// @file
/// Scores and score records as JSON and back: all digits, NaN as null, infinities as "inf", "-inf".

#include <string>
#include <vector>

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

/// Of an array of them. Throws likewise.
std::vector<core::ScoreRecord> score_records_from_json(const std::string& json);

}  // namespace ventral::io

#pragma once
/// @file
/// Finds records of scores by their keys.

#include <map>
#include <string>
#include <vector>

#include "core/score.hpp"

namespace ventral::core {

using RecordOfKey = std::map<std::string, const ScoreRecord*>;

/// Of several of one key the last one. `records` must outlive what is returned.
inline RecordOfKey by_key(const std::vector<ScoreRecord>& records) {
    RecordOfKey record_of;
    for (const auto& record : records) record_of[record.key] = &record;
    return record_of;
}

}  // namespace ventral::core

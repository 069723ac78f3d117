#pragma once
/// @file
/// What lines of a run's journal hold, as they are written and as they are found again.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive_optional.hpp"
#include "core/errors.hpp"
#include "core/score.hpp"

namespace ventral::pipeline {

/// The folds of one group of one score, computed on one rank.
struct FoldGroupResult {
    std::string key;  ///< of the score
    std::uint64_t group = 0;
    std::vector<double> r;  ///< folds of the group × columns of the plan
    core::Margins margins;
    std::string route;
    std::uint64_t rank = 0;  ///< in the world
    double seconds = 0;
    std::optional<core::Failure> failure;  ///< why there are no values, if so

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& key& group& r& route& rank& seconds;
        core::archive_optional(archive, failure);
        for (const auto& each : core::named_margins) archive& margins.*each.margin;
    }
};

/// What a plan expects of a unit.
struct RecordedEstimate {
    std::string unit;         ///< id
    double memory_bytes = 0;  ///< of its first rank, with what all ranks share
    double seconds = 0;       ///< of what was left to do

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& unit& memory_bytes& seconds;
    }
};

}  // namespace ventral::pipeline

#pragma once
/// @file
/// Which files of a run stay for later ones.

#include <cstdint>
#include <optional>

namespace ventral::pipeline {

/// What is left on disk of a stage once the next is done.
enum class Keep { keep, discard };

struct KeptFiles {
    Keep activations = Keep::keep;                         ///< and projections of them
    std::optional<std::uint64_t> activations_budget = {};  ///< bytes of all of them
    int compression = 0;  ///< level of new activation files, 1 to 9; 0: none
    Keep grams = Keep::keep;
};

}  // namespace ventral::pipeline

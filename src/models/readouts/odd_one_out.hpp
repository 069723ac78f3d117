#pragma once
/// @file
/// Brain-Score's task "odd one out": which of three stimuli is least like the other two
/// (`OddOneOut`, NUMERICS section 15).

#include <array>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::models {

enum class Similarity { dot, cosine };

using Triplet = std::array<std::string, 3>;

/// Per triplet the stimulus that is left over by the most similar pair; of pairs that are equally
/// similar the first of (0, 1), (0, 2), (1, 2) counts. Similarities are in the type of the
/// features (presentation × neuroid, with coordinate `stimulus_id`), by the call that NumPy makes.
/// A stimulus that was presented several times counts by its first presentation. The result is
/// choice × presentation, ids in the type that those of the features have, with `stimulus_id`
/// "a|b|c" along presentation. Throws `core::InputError` for a stimulus without features and for no
/// triplet.
core::Assembly choose_odd_ones(const core::Assembly& features, const std::vector<Triplet>& triplets,
                               Similarity similarity);

}  // namespace ventral::models

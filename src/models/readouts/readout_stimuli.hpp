#pragma once
/// @file
/// What tasks need of the stimuli that a network is to be shown: checked before it is shown any, so
/// that a mistake does not cost a night.

#include <string>
#include <vector>

#include "core/stimulus_set.hpp"
#include "models/readouts/odd_one_out.hpp"

namespace ventral::models {

/// For `read_probabilities`. Throws `core::InputError` that begins with `place`, the table of the
/// stimuli, unless each has an `image_label` and there are at least two of these.
void check_fitting_stimuli(const core::StimulusSet& stimuli, const std::string& place);

/// For `choose_odd_ones`. Throws `core::InputError` that begins with `place`, where the triplets
/// stand, if one names a stimulus that is not among `stimuli`.
void check_triplets(const std::vector<Triplet>& triplets, const core::StimulusSet& stimuli,
                    const std::string& place);

/// For what is read out, which has the columns of the stimuli as coordinates. Throws
/// `core::InputError` that begins with `place`, the table of the stimuli, if a column cannot be
/// one.
void check_columns(const core::StimulusSet& stimuli, const std::string& place);

}  // namespace ventral::models

#pragma once
/// @file
/// Several trials of a stimulus: a row of activations for each.

#include <vector>

#include "core/stimulus_set.hpp"
#include "stimuli/microsaccades.hpp"

namespace ventral::pipeline {

/// A row for each stimulus and each trial, the trials of a stimulus one after the other, with the
/// columns `trial`, counted from 0, and `microsaccade_shift_x_pixels`, `…_y_pixels`,
/// `…_x_degrees` and `…_y_degrees`, as Brain-Score calls them, before those of the stimuli.
core::StimulusSet with_trials(const core::StimulusSet& stimuli,
                              const std::vector<stimuli::Microsaccade>& shifts);

}  // namespace ventral::pipeline

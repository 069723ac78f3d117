#pragma once
/// @file
/// What a unit that has not begun will ask of its network.

#include <optional>

#include "pipeline/extraction/work_ahead.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

/// The first pass that `unit` will make, as far as one rank can tell beforehand: nothing of a model
/// without a network, with one that has not been tried or cannot be loaded, that answers in time or
/// is projected on components of other images, nor where activations are there already, or memory
/// is still to be taken for reading recordings. The request names no file. Throws what reading the
/// stimuli throws. Not collective.
std::optional<ExpectedPass> expected_pass(const PlannedUnit& unit, const UnitInputs& inputs,
                                          const TeamContext& context);

}  // namespace ventral::pipeline

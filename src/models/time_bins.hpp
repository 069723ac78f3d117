#pragma once
/// @file
/// Activations in the time bins that a benchmark asks for (Brain-Score's `TemporalAligned`,
/// NUMERICS section 15): static models repeat themselves, temporal ones are averaged.

#include <string>
#include <vector>

#include "core/assembly.hpp"
#include "core/time_bin.hpp"

namespace ventral::models {

/// How a requested bin takes from the bins of a recording: from each by the share of it that it
/// covers, or from the one that its middle lies in.
enum class TimeAlignment { portion, center };

/// Per target bin a weight per source bin, from 0 to 1 (`time_align`). With `portion` a target bin
/// that begins before the first source bin or ends after the last has no weights. Throws
/// `core::InputError` for a bin that ends before it begins and, with `portion`, an empty source
/// bin.
std::vector<std::vector<double>> time_bin_weights(const core::TimeBins& source,
                                                  const core::TimeBins& target,
                                                  TimeAlignment alignment);

/// The same, for what messages call `name`. Throws `core::InputError` for a target bin without
/// weights too, naming it.
std::vector<std::vector<double>> covering_weights(const std::string& name,
                                                  const core::TimeBins& source,
                                                  const core::TimeBins& target,
                                                  TimeAlignment alignment);

/// `source` with its bins averaged into `target`, by these weights, in float64 and rounded to the
/// type of the values (`assembly_time_align`). Dimension `time_bin` comes last, in the order of
/// `target`. Throws as `covering_weights`.
core::Assembly align_time_bins(const core::Assembly& source, const core::TimeBins& target,
                               TimeAlignment alignment = TimeAlignment::portion);

/// What a model recorded, for these bins: without a dimension `time_bin` its values in each bin,
/// ordered by start and end, else `align_time_bins`. One bin leaves no dimension `time_bin`.
core::Assembly in_time_bins(const core::Assembly& responses, core::TimeBins bins);

}  // namespace ventral::models

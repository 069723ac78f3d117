#pragma once
/// @file
/// The ceiling "rsa_ceiling": how alike the subjects' dissimilarity matrices are.

#include "core/assembly.hpp"
#include "core/score.hpp"
#include "core/workers.hpp"

namespace ventral::metrics {

/// Bump when a bit of this ceiling changes.
inline constexpr int rsa_ceiling_version = 2;

/// Brain-Score's `RSACeiling` (Nili et al. 2014; NUMERICS section 8) over the neuroid coordinate
/// `subject`. Value: the upper bound, the mean over subjects of Spearman's correlation of the
/// subject's dissimilarities with their mean over all subjects. `further["lower_bound_loo"]`: the
/// same with the mean of the others; NaN for a single subject. Raw: the upper correlations along
/// `subject`. NaN dissimilarities (constant rows) make both NaN.
/// Throws `core::InputError` if there is no coordinate `subject` along the neuroids.
core::Score rsa_ceiling(const core::Assembly& assembly, core::Workers& workers);

}  // namespace ventral::metrics

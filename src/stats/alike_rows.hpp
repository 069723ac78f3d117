#pragma once
/// @file
/// Test rows that a fit cannot tell apart: they differ, if at all, in features that are constant in
/// the train rows, whose weights are exactly 0 where a fit is X B + b with features as they are
/// (scikit-learn). All predictions are the intercept then, and no correlation is defined; from
/// products of features they come out with other last bits, and some correlation with them.

#include <vector>

#include "stats/folds.hpp"

namespace ventral::stats {

/// Whether every train row has the same product with all test rows but for what their features have
/// in common, to the digits of the Gram.
bool are_alike_in_gram(MatrixView kernel, const FoldRows& fold);

/// Whether each feature is constant in the train rows, or in the test rows. Reads features until
/// one is neither: one thread at a time.
bool are_alike_in_features(const ReadSlab& read, std::size_t features, const FoldRows& fold);

}  // namespace ventral::stats

#pragma once
/// @file
/// Test rows that a fit cannot tell apart: they differ, if at all, in features that are constant in
/// the train rows, whose weights are exactly 0 where a fit is X B + b with features as they are
/// (scikit-learn). All predictions are the intercept then, and no correlation is defined; from
/// products of features they come out with other last bits, and some correlation with them.

#include "stats/folds/folds.hpp"

namespace ventral::stats {

/// Whether two rows are equal, to the digits of what is at hand.
bool are_equal_rows(const Kernel& kernel, Eigen::Index a, Eigen::Index b);

/// Of features that are at hand, whether test rows differ in those alone that are constant in the
/// train rows. Of a Gram, whether every train row has the same product with all test rows but for
/// what their features have in common, to the digits of the Gram; false where it has none of what
/// most train rows differ in. False without either.
bool are_alike(const Kernel& kernel, const FoldRows& fold);

}  // namespace ventral::stats

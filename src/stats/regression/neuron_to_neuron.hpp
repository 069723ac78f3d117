#pragma once
/// @file
/// For each target the one feature that correlates best with it on the train rows: Brain-Score's
/// `SingleRegression` (NUMERICS section 6.5), the mapping of the metric "neuron_to_neuron".

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "stats/folds/folds.hpp"

namespace ventral::stats {

struct NeuronToNeuronFold {
    Matrix prediction;                  ///< n_test × m: the chosen features themselves
    std::vector<std::size_t> features;  ///< the chosen feature of each target
    /// Smallest distance, over all targets, of the chosen feature's r from the next best one's.
    double argmax_gap = std::numeric_limits<double>::infinity();
};

/// The feature of the largest r for each target and fold; the first if several have it. Reads the
/// features once, slab by slab, for all folds, and keeps no more of them than the predictions.
///
/// The choice is exact: r of all features comes from matrix products (error below 2.5e-10), and
/// those that are not 1e-9 below the two largest are compared by the reference's own formula in
/// float64, see `normalised_column.hpp`: what a fold gets does not depend on the others. Features
/// that are NaN or infinite in a train row are left out. Equal correlations of features that are
/// not the same numbers, such as x and 2 x + 1, differ by rounding alone, in the reference too.
///
/// A feature or target that is constant over the train rows has no correlation, and such features
/// are left out, unless NumPy's mean of it is not exactly its value. Then it is 0 but for rounding,
/// and with such a target rounding chooses the feature: an arbitrary one, but r of a target that is
/// constant in the test rows too is NaN whichever it is.
///
/// Throws `core::InputError` if the features are not at hand (`Problem::read` is empty), or a
/// target or all features have no correlation in a fold.
std::vector<NeuronToNeuronFold> neuron_to_neuron_predict(const Problem& problem,
                                                         std::span<const FoldRows> folds,
                                                         core::Workers& workers);

}  // namespace ventral::stats

#pragma once
/// @file
/// Brain-Score's task "probabilities": a classifier fitted on labelled stimuli, read out on others
/// (`ProbabilitiesMapping`, NUMERICS section 15).

#include <cstddef>
#include <vector>

#include "core/assembly.hpp"
#include "stats/logistic/logistic_regression.hpp"

namespace ventral::models {

struct LabelProbabilities {
    /// presentation × choice; choices are the labels in the order in which they appear first in
    /// the fitting features. Coordinates along presentation are those of the test features
    /// but for one named `choice`.
    core::Assembly probabilities;
    /// Per label (of two labels: one row) and neuroid, and per label; of standardised features.
    std::vector<std::vector<double>> coefficients;
    std::vector<double> intercepts;
    std::size_t iterations = 0;
    stats::LogisticEnd end = stats::LogisticEnd::converged;
};

/// Standardises by the fitting features, fits a logistic regression on their coordinate
/// `image_label`, and returns probabilities for the test features. Both are presentation × neuroid
/// of one type, which is that of all arithmetic. Throws `core::InputError` if they do not go
/// together, if there are fewer than two labels, and naming the presentation where standardised
/// features or their probabilities overflow.
LabelProbabilities read_probabilities(const core::Assembly& fitting_features,
                                      const core::Assembly& test_features,
                                      const stats::LogisticOptions& options);

}  // namespace ventral::models

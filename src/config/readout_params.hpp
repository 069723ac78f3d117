#pragma once
/// @file
/// The parameters of a readout as JSON, in the words of Brain-Score's own arguments.

#include <string>
#include <vector>

#include "models/readouts/odd_one_out.hpp"
#include "models/readouts/probabilities_readout.hpp"

namespace ventral::config {

/// The names of the readouts: label, probabilities, odd_one_out.
std::vector<std::string> readout_names();

struct ReadoutParams {
    std::vector<std::string> choice_labels;  ///< of label; empty: the classes of ImageNet
    stats::LogisticOptions logistic;         ///< of probabilities
    models::Similarity similarity = models::Similarity::dot;  ///< of odd_one_out
    std::vector<models::Triplet> triplets;                    ///< of odd_one_out
    bool in_float64 = false;                                  ///< features are converted first
};

/// label: `choice_labels`, a list of labels, or "imagenet" (the default). probabilities: `C`,
/// `tol`, `max_iter`; `solver` and `multi_class` may say what they are, "newton-cg" and
/// "multinomial". odd_one_out: `triplets`, a list of lists of three stimuli, and
/// `similarity_measure`, "dot" (the default) or "cosine". Of all: `upcast_to_float64`, a list of
/// the parts of a golden that the reference was given in float64. Throws `core::InputError` on an
/// unknown readout, and beginning with `place`, which is where the parameters stand, on an unknown
/// key or label, a wrong type or a value out of range.
ReadoutParams readout_params(const std::string& readout, const std::string& params_json,
                             const std::string& place = "--params");

}  // namespace ventral::config

#pragma once
/// @file
/// Brain-Score's task "label": what a network trained on ImageNet calls a stimulus, in the words of
/// a benchmark (`LabelBehavior`, NUMERICS section 15).

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::models {

struct LabelChoices {
    /// choice × presentation, text; along presentation the coordinates of the logits and `label`,
    /// in place of one of that name.
    core::Assembly choices;
    /// presentation × choice: the mean probability of each label's classes, in the type of the
    /// logits.
    core::Assembly mean_probabilities;
};

/// Probabilities are exp(logit) / Σ exp(logit) in the type of the logits, without the largest taken
/// out first: logits above 88 (float32) or 709 (float64) make NaN of them, which counts as the
/// largest here as in the reference. The choice is the first label with the largest mean over its
/// classes (`imagenet_indices`). `logits` are presentation × neuroid with 1,000 neuroids. Throws
/// `core::InputError` for others, for no label and for one that is not known.
LabelChoices choose_labels(const core::Assembly& logits, const std::vector<std::string>& labels);

/// The synset of the largest logit, the first of equal ones; like `choices` above, with coordinates
/// `label` and `synset`, and `logit`, the number of the class.
core::Assembly choose_imagenet_synsets(const core::Assembly& logits);

}  // namespace ventral::models

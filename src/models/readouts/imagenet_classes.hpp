#pragma once
/// @file
/// The 1,000 classes of ImageNet (ILSVRC 2012): their synsets, and which of them stand for an
/// everyday label.

#include <cstddef>
#include <string>
#include <vector>

namespace ventral::models {

inline constexpr std::size_t imagenet_classes = 1000;

/// The WordNet identifier of a class, "n01440764" for 0; classes are numbered in their order.
std::string imagenet_synset(std::size_t index);

/// The classes that stand for a label, in Brain-Score's order; upper case and spaces in the label
/// do not matter. The 16 entry-level categories are those of R. Geirhos et al. (ICLR 2019; NeurIPS
/// 2021, "model-vs-human"), the others were added for the stimuli of N. Baker et al. (2022),
/// H. Zhu et al. (2019) and the Scialom 2024 benchmark. Throws `core::InputError` with near names
/// for a label that has none.
const std::vector<std::size_t>& imagenet_indices(const std::string& label);

}  // namespace ventral::models

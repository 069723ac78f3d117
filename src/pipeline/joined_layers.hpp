#pragma once
/// @file
/// The layers of a file of activations as one assembly of features.

#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::pipeline {

/// One layer: dims neuroid and others, which are those of all layers; with values, or all without.
struct NamedLayer {
    std::string name;
    core::Assembly features;
};

/// The layers side by side along neuroid, the last dim, with its coordinate `layer`; all else but
/// labels of neuroids is the first one's. Throws `core::InputError`, which begins with `path`, if
/// they do not go together: other dims, stimuli, time bins or types of values. At least one layer.
core::Assembly join_layers(const std::string& path, const std::vector<NamedLayer>& layers);

}  // namespace ventral::pipeline

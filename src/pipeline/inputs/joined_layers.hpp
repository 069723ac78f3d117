#pragma once
/// @file
/// The layers of a file of activations as one assembly of features.

#include <cstddef>
#include <string>
#include <vector>

#include "core/assembly.hpp"

namespace ventral::pipeline {

/// Layers side by side along neuroid, the last dim, with its coordinate `layer`; all else but
/// labels of neuroids is the first one's. They are added one after the other, all with values or
/// all without, so that layers that do not go together are refused before the next is read.
class LayerJoin {
public:
    /// `path`, of the file, begins messages. Throws `core::InputError` if the layer has no
    /// neuroids.
    LayerJoin(std::string path, const std::string& name, core::Assembly layer);

    /// Throws `core::InputError` likewise, and if the layer does not go with the first: other dims,
    /// stimuli, time bins or type of values.
    void add(const std::string& name, core::Assembly layer);

    /// All of them. Values are in memory twice meanwhile.
    core::Assembly take();

private:
    void append(const std::string& name, core::Assembly& layer);

    std::string path_;
    core::Assembly first_;  ///< without values
    std::vector<std::string> order_;
    std::vector<std::string> names_;
    std::vector<std::size_t> widths_;
    std::vector<core::Values> tables_;
};

}  // namespace ventral::pipeline

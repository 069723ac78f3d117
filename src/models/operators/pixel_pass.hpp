#pragma once
/// @file
/// One pass over the pixels of images: the operator of our own that `take_steps_at_once` puts into
/// a graph.

#include <torch/csrc/jit/ir/ir.h>

#include "models/operators/limit_step.hpp"

namespace ventral::models {

/// Which tensor takes the result.
enum class Into {
    new_tensor,
    own_input,    ///< which nothing else sees
    shared_input  ///< which the network changes in place
};

/// What is written of a sum: libtorch's result has the type of the images if it is in place, else
/// it lies in memory as the first of the two.
enum class Sum {
    none,
    images_first,   ///< images + other
    images_second,  ///< other + images
    in_place        ///< images += other
};

/// What the node of a pass says of it.
struct PixelPass {
    bool normalises = false;
    double epsilon = 0;
    Sum sum = Sum::none;
    LimitStep limit = {};
    Into into = Into::new_tensor;
};

/// Its node has the images as first input, then, if it normalises, weight, bias, mean and variance
/// of `F.batch_norm`, then, of a sum, the other tensor.
const c10::Symbol& pixel_pass_kind();

PixelPass pass_of(const torch::jit::Node& node);
void set_pass(torch::jit::Node& node, const PixelPass& pass);

}  // namespace ventral::models

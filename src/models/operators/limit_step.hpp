#pragma once
/// @file
/// Activation functions that hold values within bounds, as a step behind or before other operators.

#include <optional>
#include <vector>

#include "models/operators/image_kernels.hpp"

namespace at {
class Tensor;
}

namespace torch::jit {
struct Node;
}

namespace ventral::models {

/// `F.relu`, `F.relu6` or `F.hardtanh`, or nothing.
struct LimitStep {
    enum class Kind { none, relu, hardtanh };
    Kind kind = Kind::none;
    double lower = 0;
    double upper = 0;

    Bounds bounds() const;

    /// libtorch's, of any tensor. `in_place`: written into the tensor that is given.
    at::Tensor of(const at::Tensor& tensor, bool in_place = false) const;
};

/// What an operator of libtorch is; nothing for others, and for bounds that are not constant.
std::optional<LimitStep> limit_of_operator(const torch::jit::Node& node);

/// As attributes of a node.
void set_limits(torch::jit::Node& node, const std::vector<LimitStep>& limits);
std::vector<LimitStep> limits_of(const torch::jit::Node& node);

}  // namespace ventral::models

#pragma once
/// @file
/// The multiply-adds of single operators of a network's graph, told by the sizes of tensors.

#include <cstdint>
#include <vector>

namespace at {
class Tensor;
}
namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ventral::models {

/// How many multiply-adds there are for each value of a tensor, told by another one: for each
/// output value of a convolution the weights of one output channel (transposed: for each input
/// value those of one input channel), for each output value of a product the columns of the first
/// factor, for each input value of a projection the rows of its weights, for each value of the
/// queries, or of what attention gives, the number of keys, and for each output value of an
/// Einstein sum what is summed over in the first factor.
enum class Arithmetic { convolution, product, projection, attention, sum };

/// A part of what an operator computes.
struct ArithmeticPart {
    Arithmetic arithmetic;
    torch::jit::Value* values;
    torch::jit::Value* other;
    std::vector<std::int64_t> summed = {};  ///< dimensions of `other`; of a sum only
};

/// All parts that count; none of operators that only move or change single values. May insert nodes
/// before `node` that take weights out of a list.
std::vector<ArithmeticPart> arithmetic_of(torch::jit::Node& node);

/// Multiply-adds for each value of `part.values`; `other` is `part.other` in a pass.
std::int64_t for_each_value(const ArithmeticPart& part, const at::Tensor& other);

}  // namespace ventral::models

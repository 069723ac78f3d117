#pragma once
/// @file
/// Copies of what layers give, made before an operator that works in place can overwrite it.

namespace torch::jit {
struct Graph;
}

namespace ventral::models {

/// Drops those of `mark_as_record` of which nothing can be overwritten: what a layer gives is a
/// tensor of its own and all that use it only read it. To be called behind
/// `replace_image_operators`.
void drop_needless_copies(torch::jit::Graph& graph);

}  // namespace ventral::models

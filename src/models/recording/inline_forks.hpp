#pragma once
/// @file
/// Calls that a network makes in parallel (`torch.jit.fork`, `torch.jit.wait`).

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// Has all code of the module's file make such a call where it stands, if the same function does
/// nothing with the future but to wait for it. The values are the same, and the submodules that are
/// called can be recorded. A future that goes elsewhere, into a list or another function, stays as
/// it is.
void inline_forks(const torch::jit::Module& module);

}  // namespace ventral::models

#include "models/builtin/script_module.hpp"

#include <algorithm>
#include <cassert>
#include <memory>

#include <torch/script.h>

namespace ventral::models {
namespace {

using Unit = std::shared_ptr<torch::jit::CompilationUnit>;

at::Tensor tensor_of(const ScriptWeight& weight) {
    auto tensor = torch::empty(weight.shape, torch::kFloat32);
    assert(tensor.numel() == static_cast<std::int64_t>(weight.values.size()));
    std::copy(weight.values.begin(), weight.values.end(), tensor.data_ptr<float>());
    return tensor;
}

torch::jit::Module compile_into(const ScriptModule& module, const Unit& unit) {
    torch::jit::Module compiled(c10::QualifiedName("__torch__.ventral." + module.name), unit);
    for (const auto& weight : module.weights)
        compiled.register_parameter(weight.name, tensor_of(weight), false);
    for (const auto& child : module.children)
        compiled.register_module(child.name, compile_into(child, unit));
    compiled.define(module.methods);
    return compiled;
}

}  // namespace

torch::jit::Module compile(const ScriptModule& root) {
    auto compiled = compile_into(root, std::make_shared<torch::jit::CompilationUnit>());
    compiled.eval();
    return compiled;
}

}  // namespace ventral::models

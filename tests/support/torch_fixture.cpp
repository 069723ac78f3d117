#include "support/torch_fixture.hpp"

#include <memory>

#include <ATen/record_function.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/script.h>

namespace ventral::test {
namespace {

at::ScalarType scalar_type(WeightType type) {
    switch (type) {
        case WeightType::float16:
            return at::kHalf;
        case WeightType::float64:
            return at::kDouble;
        case WeightType::float32:
            break;
    }
    return at::kFloat;
}

torch::jit::Module make(const ScriptedModule& scripted, const std::string& name, WeightType type) {
    torch::jit::Module module(name);
    module.register_attribute("training", c10::BoolType::get(), true);
    for (const auto& weight : scripted.weights) {
        const auto values = torch::tensor(weight.values)
                                .reshape(weight.shape)
                                .to(scalar_type(weight.type.value_or(type)));
        if (weight.is_buffer)
            module.register_buffer(weight.name, values);
        else
            module.register_parameter(weight.name, values, false);
    }
    for (const auto& child : scripted.children)
        module.register_module(child.name, make(child, name + "_" + child.name, type));
    if (!scripted.alias_of_first_child.empty())
        module.register_module(scripted.alias_of_first_child,
                               module.attr(scripted.children.front().name).toModule());
    if (!scripted.copy_of_first_child.empty())
        module.register_module(scripted.copy_of_first_child,
                               module.attr(scripted.children.front().name).toModule().copy());
    module.define(scripted.forward);
    if (scripted.is_traced)
        for (const auto& method : module.get_methods())
            for (auto* node : method.graph()->nodes())
                node->setSourceRange(torch::jit::SourceRange());
    return module;
}

}  // namespace

void save_network(const ScriptedModule& root, const std::string& path, WeightType weight_type) {
    make(root, "__torch__." + root.name, weight_type).save(path);
}

std::size_t calls_of(const std::string& name, const std::function<void()>& work) {
    thread_local std::string wanted;
    thread_local std::size_t calls;
    wanted = name;
    calls = 0;
    const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(
        [](const at::RecordFunction& called) -> std::unique_ptr<at::ObserverContext> {
            if (wanted == called.name()) ++calls;
            return nullptr;
        }));
    work();
    at::removeCallback(handle);
    return calls;
}

std::map<std::string, bool> switches_of(const models::Network& network, const std::string& name) {
    std::map<std::string, bool> switches;
    for (auto* node : network.module().get_method("forward").graph()->nodes()) {
        if (node->kind().toQualString() != name) continue;
        for (std::size_t i = 0; i < node->inputs().size(); ++i)
            if (const auto value = torch::jit::toIValue(node->input(i)); value && value->isBool())
                switches[node->schema().arguments()[i].name()] = value->toBool();
    }
    return switches;
}

const void* place_of_a_tensor(std::int64_t values) {
    return at::empty({values}, at::kFloat).data_ptr();
}

}  // namespace ventral::test

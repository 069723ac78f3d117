#include "models/call_tree.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {
namespace {

namespace jit = torch::jit;

std::string joined(const std::string& parent, const std::string& name) {
    return parent.empty() ? name : parent + "." + name;
}

bool is_module(const jit::Value& value) {
    const auto type = value.type()->cast<c10::ClassType>();
    return type && type->is_module();
}

bool is_tensor(c10::TypePtr type) {
    while (const auto tuple = type->cast<c10::TupleType>()) {
        if (tuple->elements().empty()) return false;
        type = tuple->elements()[0];
    }
    return type->isSubtypeOf(*c10::TensorType::get());
}

/// Walks through forward as it is written, into every submodule that it calls.
class CallWalk {
public:
    void enter(const jit::Graph& graph, const std::string& name) {
        visit(*graph.block(), *graph.inputs().at(0), name);
    }

    const std::vector<std::string>& layers() const { return layers_; }

private:
    void visit(const jit::Block& block, const jit::Value& self, const std::string& name) {
        for (const auto* node : block.nodes()) {
            if (node->kind() == c10::prim::CallMethod) call(*node, self, name);
            for (const auto* inner : node->blocks()) visit(*inner, self, name);
        }
    }

    void call(const jit::Node& node, const jit::Value& self, const std::string& name) {
        const auto below = submodule_name(node.input(0), &self);
        if (!below) return;
        const auto callee = below->empty() ? name : joined(name, *below);
        const auto& method = node.s(c10::attr::name);
        const bool layer = !callee.empty() && calls_forward(node) && holds_tensor(*node.output());
        if (layer && seen_.insert({callee, ""}).second) layers_.push_back(callee);
        if (!seen_.insert({callee, method}).second) return;
        auto& function = node.input(0)->type()->expectRef<c10::ClassType>().getMethod(method);
        function.ensure_defined();
        enter(*jit::toGraphFunction(function).graph(), callee);
    }

    std::vector<std::string> layers_;
    std::set<std::pair<std::string, std::string>> seen_;  ///< submodule and method, or layer and ""
};

using Names = std::map<const void*, std::vector<std::string>>;

void collect_names(const jit::Module& module, const std::string& name, Names& names) {
    for (const auto& child : module.named_children()) {
        const auto child_name = joined(name, child.name);
        names[child.value._ivalue().get()].push_back(child_name);
        collect_names(child.value, child_name, names);
    }
}

}  // namespace

std::optional<std::string> submodule_name(const jit::Value* value, const jit::Value* self) {
    if (value == self) return "";
    const auto* node = value->node();
    if (node->kind() != c10::prim::GetAttr || !is_module(*value)) return std::nullopt;
    const auto parent = submodule_name(node->input(0), self);
    if (!parent) return std::nullopt;
    return joined(*parent, node->s(c10::attr::name));
}

bool calls_forward(const jit::Node& call) {
    std::string name = call.s(c10::attr::name);
    if (!name.starts_with("forward")) return false;
    name.erase(0, name.starts_with("forward__") ? 9 : 7);
    return std::all_of(name.begin(), name.end(),
                       [](unsigned char letter) { return std::isdigit(letter); });
}

bool holds_tensor(const jit::Value& output) { return is_tensor(output.type()); }

std::vector<std::string> recordable_layers(const jit::Module& network) {
    CallWalk walk;
    walk.enter(*network.get_method("forward").graph(), "");
    auto layers = walk.layers();
    const auto shared = shared_submodules(network);
    std::erase_if(layers, [&](const auto& layer) { return shared.count(layer) > 0; });
    return layers;
}

std::map<std::string, std::vector<std::string>> shared_submodules(const jit::Module& network) {
    Names names;
    collect_names(network, "", names);
    std::map<std::string, std::vector<std::string>> shared;
    for (const auto& [object, all] : names)
        for (const auto& name : all)
            for (const auto& other : all)
                if (other != name) shared[name].push_back(other);
    return shared;
}

}  // namespace ventral::models

#include "models/call_tree.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/layer_name.hpp"

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

/// The value that a call returns, in the graph of the method that makes it.
const jit::Value& origin(const jit::Value& value) {
    const auto& node = *value.node();
    if (node.kind() != c10::prim::CallMethod) return value;
    auto& function =
        node.input(0)->type()->expectRef<c10::ClassType>().getMethod(node.s(c10::attr::name));
    function.ensure_defined();
    return origin(*jit::toGraphFunction(function).graph()->outputs().at(0));
}

std::optional<std::string> constant_key(const jit::Value& key) {
    const auto constant = jit::toIValue(&key);
    if (constant && constant->isInt()) return std::to_string(constant->toInt());
    if (constant && constant->isString()) return constant->toStringRef();
    return std::nullopt;
}

/// What makes or fills a dict, as far as it can be followed: a key, or nothing for what can be any.
std::vector<std::optional<std::string>> keys_put_into(const jit::Value& dict) {
    if (dict.node()->kind() != c10::prim::DictConstruct) return {std::nullopt};
    std::vector<std::optional<std::string>> keys;
    for (std::size_t i = 0; i < dict.node()->inputs().size(); i += 2)
        keys.push_back(constant_key(*dict.node()->input(i)));
    for (const auto& use : dict.uses()) {
        const auto kind = use.user->kind();
        if (kind == c10::aten::_set_item)
            keys.push_back(constant_key(*use.user->input(1)));
        else if (kind != c10::prim::Return && kind != c10::prim::TupleConstruct &&
                 kind != c10::aten::__getitem__)
            keys.push_back(std::nullopt);
    }
    return keys;
}

/// `value` is what is known of where the output comes from; it may be null.
std::vector<std::string> choices_of(const c10::TypePtr& type, const jit::Value* value) {
    if (type->isSubtypeOf(*c10::TensorType::get())) return {""};
    std::vector<std::string> choices;
    const auto add = [&](const std::string& member, const std::vector<std::string>& below) {
        for (const auto& each : below) choices.push_back("[" + member + "]" + each);
    };
    if (value) value = &origin(*value);
    if (const auto tuple = type->cast<c10::TupleType>()) {
        const bool made_here = value && value->node()->kind() == c10::prim::TupleConstruct;
        for (std::size_t i = 0; i < tuple->elements().size(); ++i) {
            add(std::to_string(i),
                choices_of(tuple->elements()[i], made_here ? value->node()->input(i) : nullptr));
            if (i == 0 && !choices.empty() && is_tensor(type)) choices.front() = "";
        }
    } else if (const auto dict = type->cast<c10::DictType>(); dict && value) {
        for (const auto& key : known_keys(*value))
            add(key, choices_of(dict->getValueType(), nullptr));
    }
    return choices;
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
        if (!callee.empty() && calls_forward(node) && seen_.insert({callee, ""}).second)
            for (const auto& choice : tensor_choices(*node.output()))
                layers_.push_back(callee + choice);
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

std::vector<std::string> known_keys(const jit::Value& dict) {
    std::vector<std::string> known;
    for (const auto& key : keys_put_into(origin(dict))) {
        if (!key) return {};
        if (std::find(known.begin(), known.end(), *key) == known.end()) known.push_back(*key);
    }
    return known;
}

std::vector<std::string> tensor_choices(const jit::Value& output) {
    return choices_of(output.type(), &output);
}

std::vector<std::string> recordable_layers(const jit::Module& network) {
    CallWalk walk;
    walk.enter(*network.get_method("forward").graph(), "");
    auto layers = walk.layers();
    const auto shared = shared_submodules(network);
    std::erase_if(layers, [&](const auto& layer) {
        return shared.count(parse_layer_name(layer).submodule) > 0;
    });
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

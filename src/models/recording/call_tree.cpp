#include "models/recording/call_tree.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"

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

/// Of Optional[T] it is T: what a pass gives may be one.
c10::TypePtr without_optional(c10::TypePtr type) {
    while (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    return type;
}

bool is_tensor(c10::TypePtr type) {
    type = without_optional(type);
    while (const auto tuple = type->cast<c10::TupleType>()) {
        if (tuple->elements().empty()) return false;
        type = without_optional(tuple->elements()[0]);
    }
    return type->isSubtypeOf(*c10::TensorType::get());
}

/// Whether the method that is called stands under its name in what somebody wrote, which files of
/// TorchScript quote. What a trace adds, as "forward1" for a repeated call, stands nowhere.
bool is_written(const jit::Node& call) {
    const auto& name = call.s(c10::attr::name);
    const auto type = call.input(0)->type()->cast<c10::ClassType>();
    auto* method = type ? type->findMethod(name) : nullptr;
    auto* code = method ? jit::tryToGraphFunction(*method) : nullptr;
    if (!code) return false;
    method->ensure_defined();
    const auto graph = code->graph();
    const auto as_written = "def " + name.substr(0, name.find("__")) + "(";  // of overloads too
    return std::any_of(graph->nodes().begin(), graph->nodes().end(), [&](const jit::Node* node) {
        const auto quoted = node->sourceRange().findSourceRangeThatGenerated();
        if (!quoted || !quoted->source()) return false;
        return quoted->source()->text_str().str().find(as_written) != std::string::npos;
    });
}

/// The value that a call returns, in the graph of the method that makes it.
const jit::Value& origin(const jit::Value& value) {
    const auto& node = *value.node();
    if (node.kind() != c10::prim::CallMethod) return value;
    const auto type = node.input(0)->type()->cast<c10::ClassType>();
    if (!type) return value;  // an interface: which class it will be is not known
    auto& function = type->getMethod(node.s(c10::attr::name));
    function.ensure_defined();
    return origin(*jit::toGraphFunction(function).graph()->outputs().at(0));
}

/// Whether a trace made the call return what several operators give. Of one that has several
/// outputs, as an LSTM, all belong to what the submodule returns.
bool may_return_more(const jit::Node& call) {
    if (!call.output()->type()->cast<c10::TupleType>() || is_written(call)) return false;
    const auto& tuple = *origin(*call.output()).node();
    if (tuple.kind() != c10::prim::TupleConstruct) return false;
    return std::any_of(tuple.inputs().begin(), tuple.inputs().end(), [&](const jit::Value* member) {
        return member->type()->isSubtypeOf(*c10::TensorType::get()) &&
               member->node() != tuple.input(0)->node();
    });
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
        if (is_for_training(*use.user)) continue;
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
std::vector<std::string> output_choices(const c10::TypePtr& type, const jit::Value* value) {
    if (type->isSubtypeOf(*c10::TensorType::get())) return {""};
    std::vector<std::string> choices;
    const auto add = [&](const std::string& member, const std::vector<std::string>& below) {
        for (const auto& each : below) choices.push_back("[" + member + "]" + each);
    };
    if (value) value = &origin(*value);
    if (const auto tuple = type->cast<c10::TupleType>()) {
        const bool made_here = value && value->node()->kind() == c10::prim::TupleConstruct;
        for (std::size_t i = 0; i < tuple->elements().size(); ++i) {
            add(std::to_string(i), output_choices(tuple->elements()[i],
                                                  made_here ? value->node()->input(i) : nullptr));
            if (i == 0 && !choices.empty() && choices.front() == "[0]") choices.front() = "";
        }
    } else if (const auto dict = type->cast<c10::DictType>(); dict && value) {
        for (const auto& key : known_keys(*value))
            if (!key.empty() && key.find_first_of("[]") == key.npos)  // else it cannot be written
                add(key, output_choices(dict->getValueType(), nullptr));
    }
    return choices;
}

/// Walks through forward as it is written, into every submodule that it calls.
class CallWalk {
public:
    explicit CallWalk(const SubmoduleNames& names) : names_(names) {}

    /// `modules`: the names of the graph's inputs that are submodules, `self` among them.
    using Modules = std::map<const jit::Value*, std::string>;
    void enter(const jit::Graph& graph, const Modules& modules) { visit(*graph.block(), modules); }

    /// What every call of a layer returns: a trace of a later call may lack what the first has.
    std::vector<std::string> layers() const {
        std::vector<std::string> layers;
        for (const auto& layer : layers_)
            for (const auto& choice : layer.choices) layers.push_back(layer.name + choice);
        return layers;
    }
    std::vector<std::string> doubtful() const {
        std::vector<std::string> names;
        for (const auto& layer : layers_)
            if (layer.is_doubtful) names.push_back(layer.name);
        return names;
    }

private:
    struct Layer {
        std::string name;
        std::vector<std::string> choices;
        bool is_doubtful = false;
    };

    void visit(const jit::Block& block, const Modules& modules) {
        for (const auto* node : block.nodes()) {
            if (node->kind() == c10::prim::CallMethod) call(*node, modules);
            const auto* left_out = block_for_training(*node);
            for (const auto* inner : node->blocks())
                if (inner != left_out) visit(*inner, modules);
        }
    }

    /// From the network's root, by the first one.
    std::optional<std::string> name_of(const jit::Value& value, const Modules& modules) const {
        for (const auto& [module, name] : modules) {
            const auto below = submodule_name(&value, module);
            if (!below) continue;
            const auto whole = below->empty() ? name : joined(name, *below);
            return names_.has(whole) ? names_.first(whole) : whole;
        }
        return std::nullopt;
    }

    void call(const jit::Node& node, const Modules& modules) {
        const auto callee = name_of(*node.input(0), modules);
        if (!callee) return;
        const auto& method = node.s(c10::attr::name);
        if (!callee->empty() && calls_forward(node)) note_layer(*callee, node);
        if (!seen_.insert({*callee, method}).second) return;
        auto& function = node.input(0)->type()->expectRef<c10::ClassType>().getMethod(method);
        function.ensure_defined();
        const auto graph = jit::toGraphFunction(function).graph();
        Modules passed_on;
        for (std::size_t i = 0; i < node.inputs().size(); ++i)
            if (const auto name = name_of(*node.input(i), modules))
                passed_on[graph->inputs().at(i)] = *name;
        enter(*graph, passed_on);
    }

    void note_layer(const std::string& name, const jit::Node& call) {
        const auto choices = tensor_choices(*call.output());
        auto known = std::find_if(layers_.begin(), layers_.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
        if (known == layers_.end())
            known = layers_.insert(known, {name, choices});
        else
            std::erase_if(known->choices, [&](const std::string& choice) {
                return std::find(choices.begin(), choices.end(), choice) == choices.end();
            });
        known->is_doubtful = known->is_doubtful || may_return_more(call);
    }

    const SubmoduleNames& names_;
    std::vector<Layer> layers_;                           ///< in the order of their first call
    std::set<std::pair<std::string, std::string>> seen_;  ///< submodule and method
};

CallWalk walked(const jit::Module& network, const SubmoduleNames& names) {
    CallWalk walk(names);
    const auto graph = network.get_method("forward").graph();
    walk.enter(*graph, {{graph->inputs().at(0), ""}});
    return walk;
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
    const bool is_overload = name.starts_with("forward__");
    name.erase(0, is_overload ? 9 : 7);
    const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
    if (!std::all_of(name.begin(), name.end(), is_digit)) return false;
    return name.empty() || is_overload || !is_written(call);
}

HookedOutput behind_hooks(jit::Node& call) {
    HookedOutput hooked{call.output(), &call};
    const auto is_hook = [&](const jit::Use& use) {
        const auto& node = *use.user;
        return node.kind() == c10::prim::CallFunction && node.inputs().size() == 4 &&
               use.offset == 3 && node.input(1) == call.input(0);
    };
    for (const auto* seen = static_cast<jit::Value*>(nullptr); seen != hooked.output;) {
        seen = hooked.output;
        for (const auto& use : seen->uses()) {
            if (!is_hook(use)) continue;
            if (use.user->isAfter(hooked.last)) hooked.last = use.user;
            if (use.user->output()->type()->kind() != c10::TypeKind::NoneType)
                hooked.output = use.user->output();
        }
    }
    return hooked;
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
    return output_choices(without_optional(output.type()), &output);
}

std::vector<std::string> recordable_layers(const jit::Module& network,
                                           const SubmoduleNames& names) {
    return walked(network, names).layers();
}

std::vector<std::string> doubtful_layers(const jit::Module& network, const SubmoduleNames& names) {
    return walked(network, names).doubtful();
}

}  // namespace ventral::models

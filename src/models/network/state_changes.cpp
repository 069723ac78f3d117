#include "models/network/state_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include "models/network/in_evaluation.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Stands among the names of attributes for the tensors of the code.
const std::string of_code;

/// Where a value may come from, by the names of attributes.
struct Origins {
    std::set<std::string> is;     ///< it is their value, or a part or a view of it
    std::set<std::string> holds;  ///< it is a list, dict or tuple of this pass that holds such

    std::set<std::string> all() const {
        auto both = is;
        both.insert(holds.begin(), holds.end());
        return both;
    }
};

bool is_of_modules(const c10::Type& type) {
    if (const auto* known = type.castRaw<c10::ClassType>()) return known->is_module();
    const auto* open = type.castRaw<c10::InterfaceType>();
    return open && open->is_module();
}

/// Numbers and texts are values, all else are places that several names can mean.
bool can_change(const c10::Type& type) {
    switch (type.kind()) {
        case c10::TypeKind::IntType:
        case c10::TypeKind::FloatType:
        case c10::TypeKind::ComplexType:
        case c10::TypeKind::NumberType:
        case c10::TypeKind::BoolType:
        case c10::TypeKind::StringType:
        case c10::TypeKind::NoneType:
        case c10::TypeKind::DeviceObjType:
            return false;
        default:
            return !is_of_modules(type);
    }
}

bool is_one_tensor(const c10::Type& type) { return type.kind() == c10::TypeKind::TensorType; }

/// What normalises by the batch or the image, and tells its schema nothing of the running
/// statistics that it then writes: where those begin among its inputs, and which one says whether
/// it does.
struct RunningStatistics {
    std::size_t first, decisive;
};

std::optional<RunningStatistics> running_statistics(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return std::nullopt;
    const auto first = schema->argumentIndexWithName("running_mean");
    auto decisive = schema->argumentIndexWithName("training");
    if (!decisive) decisive = schema->argumentIndexWithName("use_input_stats");
    if (!first || !decisive) return std::nullopt;
    return RunningStatistics{static_cast<std::size_t>(*first), static_cast<std::size_t>(*decisive)};
}

bool shares_set(const c10::AliasInfo& argument, const c10::AliasInfo& result) {
    const auto& sets = argument.beforeSets();
    return std::any_of(sets.begin(), sets.end(),
                       [&](auto set) { return result.afterSets().count(set) > 0; });
}

/// Of `Tensor(a)[]`: the members' sets are told, not the list's.
bool shares_members(const c10::AliasInfo& argument, const c10::AliasInfo& result) {
    const auto& members = result.containedTypes();
    return std::any_of(members.begin(), members.end(),
                       [&](const auto& member) { return shares_set(argument, member); });
}

/// Follows what attributes hold through a graph, again and again until nothing more is found.
class Search {
public:
    explicit Search(const jit::CompilationUnit& code) : code_(code) {}

    StateChanges run(const jit::Graph& graph) {
        do {
            found_more_ = false;
            visited_.clear();
            visit(*graph.block());
        } while (found_more_);
        changes_.constants = changes_.written.erase(of_code) > 0;
        return std::move(changes_);
    }

private:
    void visit(const jit::Block& block) {
        for (const auto* node : block.nodes()) {
            const auto* left_out = block_for_training(*node);
            for (const auto* inner : node->blocks())
                if (inner != left_out) visit(*inner);
            follow(*node, left_out);
        }
    }

    void follow(const jit::Node& node, const jit::Block* left_out) {
        switch (node.kind()) {
            case c10::prim::Constant:
                return constant(node);
            case c10::prim::GetAttr:
                return attribute(node);
            case c10::prim::SetAttr:
                return set_attribute(node);
            case c10::prim::If:
                return branch(node, left_out);
            case c10::prim::Loop:
                return loop(node);
            case c10::prim::CallMethod:
            case c10::prim::fork:
                return call(node);
            case c10::prim::unchecked_cast:
            case c10::aten::wait:
                return join(*node.output(), origins(*node.input(0)));
            case c10::prim::ListConstruct:
            case c10::prim::TupleConstruct:
            case c10::prim::DictConstruct:
                for (const auto* input : node.inputs())
                    join(*node.output(), {{}, origins(*input).all()});
                return;
            default:
                return node.kind().is_prim() ? take_out(node) : run_operator(node);
        }
    }

    Origins origins(const jit::Value& value) const {
        const auto known = origins_.find(&value);
        return known == origins_.end() ? Origins{} : known->second;
    }

    void add(std::set<std::string>& to, const std::set<std::string>& names) {
        for (const auto& name : names) found_more_ = to.insert(name).second || found_more_;
    }

    void join(const jit::Value& value, const Origins& more) {
        if (!can_change(*value.type()) || (more.is.empty() && more.holds.empty())) return;
        auto& known = origins_[&value];
        add(known.is, more.is);
        add(known.holds, more.holds);
    }

    void constant(const jit::Node& node) {
        if (is_one_tensor(*node.output()->type())) join(*node.output(), {{of_code}, {}});
    }

    void attribute(const jit::Node& node) {
        if (!is_of_modules(*node.input(0)->type())) return take_out(node);
        const auto& name = node.s(c10::attr::name);
        join(*node.output(), {{name}, {}});
        join(*node.output(), stored_[name]);
    }

    void set_attribute(const jit::Node& node) {
        const auto value = origins(*node.input(1));
        if (!is_of_modules(*node.input(0)->type())) return write(*node.input(0), value.all());
        const auto& name = node.s(c10::attr::name);
        add(changes_.set, {name});
        add(stored_[name].is, value.is);
        add(stored_[name].holds, value.holds);
    }

    void branch(const jit::Node& node, const jit::Block* left_out) {
        for (const auto* block : node.blocks())
            for (std::size_t i = 0; i < node.outputs().size() && block != left_out; ++i)
                join(*node.output(i), origins(*block->outputs()[i]));
    }

    /// Inputs of the node: most rounds, condition, values; of the body: round, values; outputs of
    /// the body: condition, values.
    void loop(const jit::Node& node) {
        const auto* body = node.blocks()[0];
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            const auto first = origins(*node.input(i + 2));
            const auto next = origins(*body->outputs()[i + 1]);
            for (const auto& either : {first, next}) {
                join(*body->inputs()[i + 1], either);
                join(*node.output(i), either);
            }
        }
    }

    /// What a call can lead to that could not be unfolded: other code that is to run beside, or the
    /// methods of all classes that an interface stands for.
    std::vector<std::shared_ptr<jit::Graph>> callees(const jit::Node& node) const {
        if (node.hasAttribute(c10::attr::Subgraph)) return {node.g(c10::attr::Subgraph)};
        std::vector<std::shared_ptr<jit::Graph>> graphs;
        for (auto* function : code_.get_functions()) {
            auto* code = jit::tryToGraphFunction(*function);
            if (!code || function->name() != node.s(c10::attr::name)) continue;
            function->ensure_defined();
            const auto graph = code->graph();
            if (graph->inputs().size() == node.inputs().size() &&
                graph->inputs()[0]->type()->isSubtypeOf(*node.input(0)->type()))
                graphs.push_back(graph);
        }
        return graphs;
    }

    /// Other code is looked through once a round, however many calls lead to it: what it is given
    /// for the first time by a later one asks for another round.
    void call(const jit::Node& node) {
        for (const auto& graph : callees(node)) {
            for (std::size_t i = 0; i < node.inputs().size(); ++i)
                join(*graph->inputs()[i], origins(*node.input(i)));
            if (visited_.insert(graph.get()).second) visit(*graph->block());
            join(*node.output(), origins(*graph->outputs().at(0)));
        }
    }

    /// Members of lists, dicts and tuples, fields of objects. A tuple that is made in the graph
    /// tells its members apart.
    void take_out(const jit::Node& node) {
        for (std::size_t i = 0; i < node.outputs().size(); ++i)
            for (const auto* input : node.inputs()) {
                const auto* maker = input->node();
                const bool is_known = node.kind() == c10::prim::TupleUnpack &&
                                      maker->kind() == c10::prim::TupleConstruct;
                if (is_known)
                    join(*node.output(i), origins(*maker->input(i)));
                else
                    join(*node.output(i), {origins(*input).all(), origins(*input).holds});
            }
    }

    void write(const jit::Value& value, const std::set<std::string>& put_in) {
        const auto& written = origins(value).is;
        changes_.written.insert(written.begin(), written.end());
        if (!is_one_tensor(*value.type())) join(value, {{}, put_in});
    }

    /// By what its schema says of aliases and writes.
    void run_operator(const jit::Node& node) {
        const auto* schema = node.maybeSchema();
        if (!schema) return take_out(node);
        if (const auto statistics = running_statistics(node);
            statistics && in_evaluation(*node.input(statistics->decisive)) != false)
            for (const auto i : {statistics->first, statistics->first + 1})
                write(*node.input(i), {});
        if (gives_its_argument(node)) join(*node.output(), origins(*node.input(0)));
        const auto count = std::min(node.inputs().size(), schema->arguments().size());
        for (std::size_t i = 0; i < count; ++i) {
            const auto* alias = schema->arguments()[i].alias_info();
            for (const auto* other : node.inputs())
                if (alias && alias->isWrite()) write(*node.input(i), origins(*other).all());
        }
        for (std::size_t o = 0; o < std::min(node.outputs().size(), schema->returns().size()); ++o)
            for (std::size_t i = 0; i < count; ++i)
                join(*node.output(o), passed_on(*node.input(i), schema->arguments()[i],
                                                *node.output(o), schema->returns()[o]));
    }

    Origins passed_on(const jit::Value& input, const c10::Argument& argument,
                      const jit::Value& output, const c10::Argument& result) const {
        const auto from = origins(input);
        const auto* alias = result.alias_info();
        if (!alias) return is_one_tensor(*output.type()) ? Origins{} : Origins{{}, from.all()};
        if (alias->isWildcardAfter()) return {from.all(), from.holds};
        if (!argument.alias_info()) return {};
        if (shares_set(*argument.alias_info(), *alias)) return from;
        return shares_members(*argument.alias_info(), *alias) ? Origins{{}, from.all()} : Origins{};
    }

    const jit::CompilationUnit& code_;
    std::map<const jit::Value*, Origins> origins_;
    std::map<std::string, Origins> stored_;  ///< what else an attribute holds once it was set
    std::set<const jit::Graph*> visited_;    ///< in this round
    StateChanges changes_;
    bool found_more_ = false;
};

}  // namespace

StateChanges state_changes(const jit::Module& network) {
    const auto graph = network.get_method("forward").graph()->copy();
    jit::Inline(*graph);
    return Search(*network._ivalue()->compilation_unit()).run(*graph);
}

}  // namespace ventral::models

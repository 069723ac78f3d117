#include "models/recording/recording_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "models/operators/graph_values.hpp"
#include "models/operators/image_operators.hpp"
#include "models/operators/packed_convolution.hpp"
#include "models/operators/padding.hpp"
#include "models/operators/record_copies.hpp"
#include "models/recording/call_tree.hpp"
#include "models/recording/layer_name.hpp"
#include "models/recording/layout_operators.hpp"
#include "models/recording/layout_writes.hpp"
#include "models/recording/one_pass.hpp"
#include "models/recording/own_draws.hpp"
#include "models/recording/training_blocks.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

[[noreturn]] void refuse(const Network& network, const std::string& layer, const std::string& why) {
    throw core::InputError(network.path() + ": layer '" + layer + "' cannot be recorded (" + why +
                           ")");
}

bool is_network_output(const Network& network, const std::string& submodule) {
    return submodule == output_layer && network.has_output_layer();
}

void check_names(const Network& network, const std::vector<std::string>& layers) {
    if (layers.empty()) throw core::InputError(network.path() + ": no layer is named to record");
    for (const auto& layer : layers) {
        const auto submodule = parse_layer_name(layer, network.names()).submodule;
        if (is_network_output(network, submodule) || network.names().has(submodule)) continue;
        const auto near = core::near_names(layer, network.tensors());
        throw core::InputError(network.path() + ": no layer '" + layer + "'" +
                               (near.empty() ? ", 'ventral layers' lists those there are" : near));
    }
}

/// ", choose 'head[out]' or 'head[aux]'": what can be recorded of a call of `submodule`; of what
/// only a run fills, how its members are named.
std::string choice_of(const std::string& submodule, const jit::Value& output) {
    std::string text;
    for (const auto& choice : tensor_choices(output))
        text += (text.empty() ? ", choose '" : " or '") + submodule + choice + "'";
    if (!text.empty()) return text;
    const auto dict = output.type()->cast<c10::DictType>();
    if (dict && dict->getValueType()->kind() == c10::TypeKind::TensorType)
        return ", choose one by its key, '" + submodule + "[KEY]'";
    const auto list = output.type()->cast<c10::ListType>();
    if (list && list->getElementType()->kind() == c10::TypeKind::TensorType)
        return ", choose one by its place, '" + submodule + "[0]'";
    return text;
}

/// Why nothing of `output`, which holds no tensor, can be recorded.
std::string no_tensor_text(const jit::Value& output) {
    if (output.type()->kind() == c10::TypeKind::NoneType)
        return "it returns nothing, as does a traced submodule that gives back its input, such as "
               "Identity";
    return "it returns " + output.type()->annotation_str() + ", not a tensor";
}

/// The position of a tuple's member, by number or by the field's name.
std::optional<std::size_t> position_in(const c10::TupleType& tuple, const std::string& member) {
    for (std::size_t i = 0; i < tuple.elements().size(); ++i) {
        if (member == std::to_string(i)) return i;
        if (tuple.schema() && member == tuple.schema()->arguments()[i].name()) return i;
    }
    return std::nullopt;
}

class Recording {
public:
    Recording(const Network& network, const std::vector<std::string>& layers)
        : network_(network), graph_(network.module().get_method("forward").graph()->copy()) {
        add_slots(layers);
        mark_training_blocks(*graph_->block());
        unfold(graph_->block());
        whole_ = record_output();
    }

    /// The first layer that forward does not call.
    std::optional<std::string> missing() const {
        for (const auto& slot : slots_)
            if (!slot.recorded) return slot.layer;
        return std::nullopt;
    }

    RecordingGraph make() {
        jit::Inline(*graph_);
        give_own_draws(*graph_);
        if (has_own_operators()) pad_in_convolutions(*graph_);
        if (!whole_) {
            cut();
            keep_last_without_copy();
        }
        graph_->eraseOutput(0);
        for (const auto& slot : slots_) graph_->registerOutput(slot.list);
        renew_constants(network_, *graph_);
        jit::runRequiredPasses(graph_);
        // Before blocks are dropped: of dropout, which then stands alone, libtorch does not say
        // that it gives its input.
        jit::EliminateDeadCode(graph_);
        auto by_layout = layout_operators(*graph_);
        for (auto& name : written_views(*graph_)) by_layout.push_back(std::move(name));
        if (has_own_operators()) {
            drop_training_blocks(*graph_);
            replace_image_operators(*graph_);
            drop_needless_copies(*graph_);
        }
        if (is_fast()) pack_convolutions(*graph_);
        return {graph_, std::move(by_layout)};
    }

private:
    struct Slot {
        std::string layer;
        LayerName name;
        std::vector<std::string> names;  ///< of the submodule; none: the network's output
        jit::Value* list;
        bool recorded;
    };

    bool is_fast() const {
        return network_.device() == "cpu" &&
               network_.memory_layout() == MemoryLayout::channels_last;
    }

    bool has_own_operators() const { return is_fast() && network_.changes().none(); }

    void add_slots(const std::vector<std::string>& layers) {
        const jit::WithInsertPoint at_begin(*graph_->nodes().begin());
        for (const auto& layer : layers) {
            auto* list = graph_->insertNode(graph_->createList(c10::TensorType::get(), {}));
            slots_.push_back(
                {layer, parse_layer_name(layer, network_.names()), {}, list->output(), false});
            const auto& submodule = slots_.back().name.submodule;
            if (!is_network_output(network_, submodule))
                slots_.back().names = network_.names().same(submodule);
        }
    }

    void unfold(jit::Block* block) {
        auto* node = block->return_node()->next();
        while (node != block->return_node()) {
            const auto left_out = marked_training_block(*node);
            for (std::int64_t i = 0; i < std::ssize(node->blocks()); ++i)
                if (left_out != i) unfold(node->blocks()[i]);
            if (node->kind() == c10::prim::CallMethod)
                node = unfold_call(node);
            else
                node = is_hook(*node) ? unfold_hook(node) : node->next();
        }
    }

    /// What no other function is given: a module.
    static bool is_hook(const jit::Node& node) {
        if (node.kind() != c10::prim::CallFunction || node.inputs().size() < 2) return false;
        const auto type = node.input(1)->type()->cast<c10::ClassType>();
        return type && type->is_module();
    }

    /// As `unfold_call`: it may call submodules.
    jit::Node* unfold_hook(jit::Node* call) {
        const auto type = call->input(0)->type()->cast<c10::FunctionType>();
        auto* function = type ? jit::tryToGraphFunction(*type->function()) : nullptr;
        if (!function) return call->next();
        call->removeInput(0);
        return unfold(call, *function);
    }

    /// Returns the node to go on with: behind the call, or the first one that replaces it. Every
    /// call is unfolded, wherever its name leads: a trace hands a submodule that stands elsewhere
    /// to the block that calls it, as an argument.
    jit::Node* unfold_call(jit::Node* call) {
        const auto name = submodule_name(call->input(0), graph_->inputs().at(0));
        if (!name) return call->next();
        const bool forward = calls_forward(*call);
        for (auto& slot : slots_)
            if (forward && std::count(slot.names.begin(), slot.names.end(), *name) > 0) {
                const auto hooked = behind_hooks(*call);
                record(slot, hooked.output, hooked.last->next());
            }

        auto& method =
            call->input(0)->type()->expectRef<c10::ClassType>().getMethod(call->s(c10::attr::name));
        method.ensure_defined();
        return unfold(call, jit::toGraphFunction(method));
    }

    /// Puts the code in the call's place.
    jit::Node* unfold(jit::Node* call, jit::GraphFunction& function) {
        const auto written = function.graph()->copy();
        mark_training_blocks(*written->block());
        auto* before = call->prev();
        // Without the graph as third argument it is unfolded down to the last call.
        jit::inlineCallTo(call, &function, written.get());
        return before->next();
    }

    /// Puts a copy of `output` into the slot, in place of what an earlier call left there.
    void record(Slot& slot, jit::Value* output, jit::Node* before) {
        const jit::WithInsertPoint here(before);
        const auto* last_of_call = before->prev();
        graph_->insertNode(graph_->create(c10::aten::clear, {slot.list}, 0));
        const auto* whole = output;
        for (const auto& member : slot.name.members) {
            const auto type = output->type()->annotation_str();
            output = member_of(given(output), member);
            if (!output)
                refuse(network_, slot.layer,
                       type + " has no member '" + member + "'" +
                           choice_of(slot.name.submodule, *whole));
        }
        if (!holds_tensor(*output)) {
            const auto of_member = choice_of(slot.layer, *output);
            refuse(network_, slot.layer,
                   no_tensor_text(*output) +
                       (of_member.empty() ? choice_of(slot.name.submodule, *whole) : of_member));
        }
        output = given(output);
        while (const auto tuple = output->type()->cast<c10::TupleType>())
            output = given(tuple_member(output, *tuple, 0));
        auto* as_it_lies = graph_->insertConstant(jit::IValue());
        auto* copy = graph_->insertNode(graph_->create(c10::aten::clone, {output, as_it_lies}));
        copy->output()->setType(c10::TensorType::get());
        auto* append =
            graph_->insertNode(graph_->create(c10::aten::append, {slot.list, copy->output()}, 1));
        append->output()->setType(slot.list->type());
        for (auto* node = before->prev(); node != last_of_call; node = node->prev())
            mark_as_record(*node);
        slot.recorded = true;
        note_last(append);
    }

    /// What may be None, where it is not: what is inserted next is for that.
    jit::Value* given(jit::Value* value) {
        while (const auto optional = value->type()->cast<c10::OptionalType>()) {
            auto* none = graph_->insertConstant(jit::IValue());
            enter_if(graph_->insert(c10::aten::__isnot__, {value, none}));
            auto* cast = graph_->insertNode(graph_->create(c10::prim::unchecked_cast, {value}, 1));
            value = cast->output()->setType(optional->getElementType());
        }
        return value;
    }

    /// Null if there is none. Whether a list is long enough, or a dict has a key, is only known
    /// when the network runs: what is inserted next is then for outputs that have the member.
    jit::Value* member_of(jit::Value* whole, const std::string& member) {
        const auto type = whole->type();
        if (const auto tuple = type->cast<c10::TupleType>()) {
            const auto position = position_in(*tuple, member);
            return position ? tuple_member(whole, *tuple, *position) : nullptr;
        }
        const auto number = core::parse_integer(member);
        if (const auto list = type->cast<c10::ListType>(); list && number)
            return item_of_list(whole, *number, list->getElementType());
        const auto dict = type->cast<c10::DictType>();
        if (!dict) return nullptr;
        const auto keys = known_keys(*whole);
        if (!keys.empty() && std::find(keys.begin(), keys.end(), member) == keys.end())
            return nullptr;
        if (dict->getKeyType()->kind() == c10::TypeKind::StringType)
            return item_of_dict(whole, member, dict->getValueType());
        const bool by_number = dict->getKeyType()->kind() == c10::TypeKind::IntType;
        return by_number && number ? item_of_dict(whole, *number, dict->getValueType()) : nullptr;
    }

    jit::Value* tuple_member(jit::Value* tuple, const c10::TupleType& type, std::size_t position) {
        auto* index = graph_->insertConstant(static_cast<std::int64_t>(position));
        return graph_->insertNode(graph_->createTupleIndex(tuple, index, type.elements()[position]))
            ->output();
    }

    jit::Value* item_of_list(jit::Value* list, std::int64_t place, const c10::TypePtr& type) {
        const auto least = place < 0 ? -place : place + 1;  // -1 is the last one
        auto* length = graph_->insert(c10::aten::len, {list});
        enter_if(graph_->insert(c10::aten::ge, {length, graph_->insertConstant(least)}));
        return item(list, place, type);
    }

    jit::Value* item_of_dict(jit::Value* dict, const jit::IValue& key, const c10::TypePtr& type) {
        enter_if(graph_->insert(c10::aten::__contains__, {dict, graph_->insertConstant(key)}));
        return item(dict, key, type);
    }

    /// Nodes are then inserted into a block that runs on this condition.
    void enter_if(jit::Value* condition) {
        auto* branch = graph_->insertNode(graph_->create(c10::prim::If, {condition}, 0));
        graph_->setInsertPoint(branch->addBlock());
        branch->addBlock();
    }

    jit::Value* item(jit::Value* whole, const jit::IValue& key, const c10::TypePtr& type) {
        auto* constant = graph_->insertConstant(key);
        auto* node = graph_->create(c10::aten::__getitem__, {whole, constant});
        node->output()->setType(type);
        return graph_->insertNode(node)->output();
    }

    void note_last(jit::Node* node) {
        while (node->owningBlock() != graph_->block()) node = node->owningBlock()->owningNode();
        if (!last_ || node->isAfter(last_)) last_ = node;
    }

    /// Records the network's output where it is wanted, and tells whether it is.
    bool record_output() {
        bool wanted = false;
        for (auto& slot : slots_) {
            if (!is_network_output(network_, slot.name.submodule)) continue;
            record(slot, graph_->outputs().at(0), graph_->return_node());
            wanted = true;
        }
        return wanted;
    }

    void cut() {
        graph_->return_node()->removeAllInputs();
        while (graph_->return_node()->prev() != last_) graph_->return_node()->prev()->destroy();
        graph_->return_node()->addInput(slots_.front().list);
    }

    /// Nothing runs after the last record that could change it: it needs no copy. To be called when
    /// the graph is cut.
    void keep_last_without_copy() {
        if (last_->kind() != c10::aten::append) return;  // in an inner block
        auto* copy = last_->input(1)->node();
        last_->replaceInput(1, copy->input(0));
        copy->destroy();
    }

    const Network& network_;
    std::shared_ptr<jit::Graph> graph_;
    std::vector<Slot> slots_;
    bool whole_ = false;         ///< the network's output is wanted
    jit::Node* last_ = nullptr;  ///< of the outermost block: the last one that records a layer
};

}  // namespace

RecordingGraph recording_graph(const Network& network, const std::vector<std::string>& layers) {
    check_names(network, layers);
    Recording recording(network, layers);
    if (const auto missing = recording.missing())
        refuse(network, *missing,
               "forward never calls it: unused, for training only, lost in tracing, behind an "
               "interface, or its weights are used without a call; `ventral layers` lists those "
               "that are called");
    return recording.make();
}

}  // namespace ventral::models

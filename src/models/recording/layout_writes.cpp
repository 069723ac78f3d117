#include "models/recording/layout_writes.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <unordered_set>
#include <vector>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"
#include "models/network/node_kind.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

using Values = std::unordered_set<const jit::Value*>;

/// Whether a memory format is asked for, if the operator can be told of one.
bool takes_memory_format(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return false;
    const auto place = schema->argumentIndexWithName("memory_format");
    if (!place) return false;
    const auto format = jit::toIValue(node.inputs()[static_cast<std::size_t>(*place)]);
    if (!format) return true;
    return !format->isNone() && format->toMemoryFormat() != c10::MemoryFormat::Preserve;
}

bool may_copy_in_layout(const jit::Node& node) {
    return is_one_of(node, {"aten::contiguous", "aten::flatten", "aten::ravel", "aten::reshape",
                            "aten::reshape_as"}) ||
           (node.kind() == c10::aten::to && takes_memory_format(node));
}

/// Whether it looks at the shape or the kind of a tensor alone.
bool reads_no_values(const jit::Node& node) {
    return is_one_of(node, {"aten::size", "aten::dim", "aten::len", "aten::numel", "aten::sym_size",
                            "aten::is_floating_point", "aten::get_device", "aten::is_contiguous",
                            "prim::dtype", "prim::device", "prim::layout", "prim::is_cuda",
                            "prim::requires_grad", "aten::__is__", "aten::__isnot__"});
}

bool is_tensor(const jit::Value& value) {
    return value.type()->isSubtypeOf(*c10::TensorType::get());
}

bool holds_tensors(const jit::Value& value) {
    const auto& type = value.type();
    if (is_tensor(value)) return true;
    const auto inner = type->containedTypes();
    return type->kind() != c10::TypeKind::ClassType && !inner.empty();
}

/// Whether the outputs may be, hold or be part of this input.
bool may_give(const jit::Node& node, std::size_t input) {
    if (node.outputs().empty() || !holds_tensors(*node.inputs()[input])) return false;
    if (gives_its_argument(node)) return input == 0;
    const auto* schema = node.maybeSchema();
    // Lists, tuples and their parts, whatever is made of them.
    if (!schema || schema->is_vararg() || node.kind() == c10::prim::unchecked_cast) return true;
    if (!is_tensor(*node.inputs()[input]) && !is_tensor(*node.outputs()[0])) return true;
    if (input >= schema->arguments().size()) return false;
    const auto* given = schema->arguments()[input].alias_info();
    return given && std::any_of(schema->returns().begin(), schema->returns().end(),
                                [](const auto& each) { return each.alias_info() != nullptr; });
}

bool writes_into(const jit::Node& node, std::size_t input) {
    const auto* schema = node.maybeSchema();
    if (!schema || input >= schema->arguments().size()) return false;
    const auto* alias = schema->arguments()[input].alias_info();
    return alias && alias->isWrite();
}

/// In evaluation a dropout writes what is there.
bool changes_tensor(const jit::Node& node, std::size_t input) {
    if (!writes_into(node, input) || !is_tensor(*node.inputs()[input])) return false;
    const bool is_dropout =
        is_one_of(node, {"aten::dropout_", "aten::feature_dropout_", "aten::alpha_dropout_",
                         "aten::feature_alpha_dropout_"});
    return !is_dropout || in_evaluation(*node.inputs()[2]) != false;
}

/// Whether it puts its other inputs into this one, a list or a dict.
bool fills(const jit::Node& node, std::size_t input) {
    return writes_into(node, input) && !is_tensor(*node.inputs()[input]);
}

/// Takes values that may be the same memory.
using AddValue = std::function<void(const jit::Value*)>;

/// What the block of a branch or a loop returns.
void give_to_owner(const jit::Block& block, std::size_t offset, const AddValue& add) {
    const auto* owner = block.owningNode();
    if (!owner) return;  // the graph's own
    if (owner->kind() == c10::prim::If) add(owner->outputs()[offset]);
    if (owner->kind() == c10::prim::Loop && offset >= 1) {
        add(owner->outputs()[offset - 1]);
        add(block.inputs()[offset]);
    }
}

/// To what a value may be given on as.
void step_on(const jit::Value& value, const AddValue& add) {
    for (const auto& use : value.uses()) {
        const auto& user = *use.user;
        for (std::size_t i = 0; i < user.inputs().size(); ++i)
            if (fills(user, i)) add(user.inputs()[i]);
        if (user.kind() == c10::prim::Return) {
            give_to_owner(*user.owningBlock(), use.offset, add);
        } else if (user.kind() == c10::prim::Loop) {
            if (use.offset >= 2) {
                add(user.blocks()[0]->inputs()[use.offset - 1]);
                add(user.outputs()[use.offset - 2]);
            }
        } else if (user.kind() != c10::prim::If && may_give(user, use.offset)) {
            for (const auto* output : user.outputs()) add(output);
        }
    }
}

void step_out_of_loop(const jit::Value& value, const AddValue& add) {
    const auto* loop = value.node()->owningBlock()->owningNode();
    if (!loop || loop->kind() != c10::prim::Loop || value.offset() == 0) return;
    add(loop->inputs()[value.offset() + 1]);
    add(value.node()->owningBlock()->outputs()[value.offset()]);
}

/// To what it may have been given by.
void step_back(const jit::Value& value, const AddValue& add) {
    const auto& maker = *value.node();
    for (const auto& use : value.uses())
        if (fills(*use.user, use.offset))
            for (const auto* input : use.user->inputs()) add(input);
    if (maker.kind() == c10::prim::If) {
        for (const auto* block : maker.blocks()) add(block->outputs()[value.offset()]);
    } else if (maker.kind() == c10::prim::Loop) {
        add(maker.inputs()[value.offset() + 2]);
        add(maker.blocks()[0]->outputs()[value.offset() + 1]);
    } else if (maker.kind() == c10::prim::Param) {
        step_out_of_loop(value, add);
    } else {
        for (std::size_t i = 0; i < maker.inputs().size(); ++i)
            if (may_give(maker, i)) add(maker.inputs()[i]);
    }
}

Values all_reached(const Values& from, void (*step)(const jit::Value&, const AddValue&)) {
    Values found = from;
    std::vector<const jit::Value*> left(from.begin(), from.end());
    const AddValue add = [&](const jit::Value* value) {
        if (holds_tensors(*value) && found.insert(value).second) left.push_back(value);
    };
    while (!left.empty()) {
        const auto& value = *left.back();
        left.pop_back();
        step(value, add);
    }
    return found;
}

/// All that may share memory with `value`, and it: what is made of whatever it is made of.
Values values_sharing_memory_with(const jit::Value& value) {
    return all_reached(all_reached({&value}, step_back), step_on);
}

/// What `value` may be given on as, and it.
Values values_made_of(const jit::Value& value) { return all_reached({&value}, step_on); }

bool is_inside(const jit::Node& node, const jit::Node& loop) {
    for (const auto* block = node.owningBlock(); block->owningNode();
         block = block->owningNode()->owningBlock())
        if (block->owningNode() == &loop) return true;
    return false;
}

/// Whether something of these outlasts a round of the loop: it is carried, or made elsewhere.
bool outlasts_round(const Values& values, const jit::Node& loop) {
    return std::any_of(values.begin(), values.end(), [&](const jit::Value* value) {
        return value->node() == loop.blocks()[0]->param_node() || !is_inside(*value->node(), loop);
    });
}

/// Whether `later` runs after `sooner`, or may in another round of a loop, which matters where
/// something of `read` is still there.
bool may_run_after(const jit::Node& later, const jit::Node& sooner, const Values& read) {
    if (later.isAfter(&sooner)) return true;
    for (const auto* block = later.owningBlock(); block->owningNode();
         block = block->owningNode()->owningBlock()) {
        const auto& owner = *block->owningNode();
        if (owner.kind() == c10::prim::Loop && is_inside(sooner, owner) &&
            outlasts_round(read, owner))
            return true;
    }
    return false;
}

bool is_read_after(const jit::Node& write, const Values& side) {
    return std::any_of(side.begin(), side.end(), [&](const jit::Value* value) {
        return std::any_of(value->uses().begin(), value->uses().end(), [&](const jit::Use& use) {
            return !reads_no_values(*use.user) && !is_for_training(*use.user) &&
                   may_run_after(*use.user, write, side);
        });
    });
}

/// Whether a write into one of the two sides is missed by a later reader of the other.
bool is_missed(const jit::Node& view) {
    const auto made = values_made_of(*view.output());
    auto rest = values_sharing_memory_with(*view.inputs()[0]);
    for (const auto* value : made) rest.erase(value);
    const auto is_missed_in = [&](const Values& written, const Values& read) {
        return std::any_of(written.begin(), written.end(), [&](const jit::Value* value) {
            return std::any_of(value->uses().begin(), value->uses().end(), [&](const auto& use) {
                const auto& user = *use.user;
                return changes_tensor(user, use.offset) && !is_for_training(user) &&
                       may_run_after(user, view, read) && is_read_after(user, read);
            });
        });
    };
    return is_missed_in(made, rest) || is_missed_in(rest, made);
}

}  // namespace

std::vector<std::string> written_views(const jit::Graph& graph) {
    std::set<std::string> names;
    visit_evaluated(*graph.block(), [&](const jit::Node& node) {
        if (may_copy_in_layout(node) && is_missed(node)) names.insert(node.kind().toUnqualString());
    });
    return {names.begin(), names.end()};
}

}  // namespace ventral::models

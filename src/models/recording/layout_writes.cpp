#include "models/recording/layout_writes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <unordered_set>
#include <vector>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "models/network/in_evaluation.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

using Values = std::unordered_set<const jit::Value*>;

template <std::size_t count>
bool is_one_of(const jit::Node& node, const std::array<const char*, count>& names) {
    return std::find(names.begin(), names.end(), std::string(node.kind().toQualString())) !=
           names.end();
}

/// Whether a memory format is asked for, if the operator can be told of one.
bool takes_memory_format(const jit::Node& node) {
    const auto* schema = node.maybeSchema();
    if (!schema) return false;
    const auto place = schema->argumentIndexWithName("memory_format");
    if (!place) return false;
    const auto constant = jit::toIValue(node.inputs()[static_cast<std::size_t>(*place)]);
    return !constant || !constant->isNone();
}

bool may_copy_in_layout(const jit::Node& node) {
    static constexpr std::array names = {"aten::contiguous", "aten::flatten", "aten::ravel",
                                         "aten::reshape", "aten::reshape_as"};
    return is_one_of(node, names) || (node.kind() == c10::aten::to && takes_memory_format(node));
}

/// Whether it looks at the shape or the kind of a tensor alone.
bool reads_no_values(const jit::Node& node) {
    static constexpr std::array names = {
        "aten::size",          "aten::dim",           "aten::len",
        "aten::numel",         "aten::sym_size",      "aten::is_floating_point",
        "aten::get_device",    "aten::is_contiguous", "prim::dtype",
        "prim::device",        "prim::layout",        "prim::is_cuda",
        "prim::requires_grad", "aten::__is__",        "aten::__isnot__"};
    return is_one_of(node, names);
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

/// What may be the same memory as what.
class Memory {
public:
    /// All that may share memory with `value`, and it: what is made of whatever it is made of.
    static Values shared_with(const jit::Value& value) {
        return reached(reached({&value}, go_back), go_on);
    }

    /// What `value` may be given on as, and it.
    static Values made_of(const jit::Value& value) { return reached({&value}, go_on); }

    static bool writes_tensor(const jit::Node& node, std::size_t input) {
        const auto* schema = node.maybeSchema();
        if (!schema || input >= schema->arguments().size()) return false;
        const auto* alias = schema->arguments()[input].alias_info();
        return alias && alias->isWrite() && is_tensor(*node.inputs()[input]);
    }

private:
    using Add = std::function<void(const jit::Value*)>;

    static Values reached(const Values& from, void (*step)(const jit::Value&, const Add&)) {
        Values found = from;
        std::vector<const jit::Value*> left(from.begin(), from.end());
        const Add add = [&](const jit::Value* value) {
            if (holds_tensors(*value) && found.insert(value).second) left.push_back(value);
        };
        while (!left.empty()) {
            const auto& value = *left.back();
            left.pop_back();
            step(value, add);
        }
        return found;
    }

    static void go_on(const jit::Value& value, const Add& add) {
        for (const auto& use : value.uses()) {
            const auto& user = *use.user;
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

    /// What the block of a branch or a loop returns.
    static void give_to_owner(const jit::Block& block, std::size_t offset, const Add& add) {
        const auto* owner = block.owningNode();
        if (!owner) return;  // the graph's own
        if (owner->kind() == c10::prim::If) add(owner->outputs()[offset]);
        if (owner->kind() == c10::prim::Loop && offset >= 1) {
            add(owner->outputs()[offset - 1]);
            add(block.inputs()[offset]);
        }
    }

    static void go_back(const jit::Value& value, const Add& add) {
        const auto& maker = *value.node();
        if (maker.kind() == c10::prim::If) {
            for (const auto* block : maker.blocks()) add(block->outputs()[value.offset()]);
        } else if (maker.kind() == c10::prim::Loop) {
            add(maker.inputs()[value.offset() + 2]);
            add(maker.blocks()[0]->outputs()[value.offset() + 1]);
        } else if (maker.kind() == c10::prim::Param) {
            go_back_out_of_loop(value, add);
        } else {
            for (std::size_t i = 0; i < maker.inputs().size(); ++i)
                if (may_give(maker, i)) add(maker.inputs()[i]);
        }
    }

    static void go_back_out_of_loop(const jit::Value& value, const Add& add) {
        const auto* loop = value.node()->owningBlock()->owningNode();
        if (!loop || loop->kind() != c10::prim::Loop || value.offset() == 0) return;
        add(loop->inputs()[value.offset() + 1]);
        add(value.node()->owningBlock()->outputs()[value.offset()]);
    }

    /// Whether the outputs may be, hold or be part of this input.
    static bool may_give(const jit::Node& node, std::size_t input) {
        if (node.outputs().empty() || !holds_tensors(*node.inputs()[input])) return false;
        if (gives_its_argument(node)) return input == 0;
        const auto* schema = node.maybeSchema();
        // Lists, tuples and their parts.
        if (!schema || schema->is_vararg() || node.kind() == c10::prim::unchecked_cast) return true;
        if (input >= schema->arguments().size()) return false;
        const auto* given = schema->arguments()[input].alias_info();
        return given && std::any_of(schema->returns().begin(), schema->returns().end(),
                                    [](const auto& each) { return each.alias_info() != nullptr; });
    }
};

/// Whether `later` runs after `sooner`, or may in another round of a loop.
bool may_run_after(const jit::Node& later, const jit::Node& sooner) {
    if (later.isAfter(&sooner)) return true;
    for (const auto* block = later.owningBlock(); block->owningNode();
         block = block->owningNode()->owningBlock()) {
        const auto* owner = block->owningNode();
        if (owner->kind() != c10::prim::Loop) continue;
        for (const auto* of_sooner = sooner.owningBlock(); of_sooner->owningNode();
             of_sooner = of_sooner->owningNode()->owningBlock())
            if (of_sooner->owningNode() == owner) return true;
    }
    return false;
}

bool is_read_after(const jit::Node& write, const jit::Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const jit::Use& use) {
        return use.user != &write && !reads_no_values(*use.user) && may_run_after(*use.user, write);
    });
}

/// Whether a write into one of the two sides is missed by a later reader of the other.
bool is_missed(const jit::Node& view) {
    const auto all = Memory::shared_with(*view.inputs()[0]);
    const auto made = Memory::made_of(*view.output());
    for (const auto* written : all) {
        const bool is_made = made.contains(written);
        for (const auto& use : written->uses()) {
            if (!Memory::writes_tensor(*use.user, use.offset) || !may_run_after(*use.user, view))
                continue;
            const bool is_read = std::any_of(all.begin(), all.end(), [&](const jit::Value* value) {
                return made.contains(value) != is_made && is_read_after(*use.user, *value);
            });
            if (is_read) return true;
        }
    }
    return false;
}

void collect(const jit::Block& block, std::set<std::string>& names) {
    for (const auto* node : block.nodes()) {
        if (may_copy_in_layout(*node) && is_missed(*node))
            names.insert(node->kind().toUnqualString());
        const auto* left_out = block_for_training(*node);
        for (const auto* inner : node->blocks())
            if (inner != left_out) collect(*inner, names);
    }
}

}  // namespace

std::vector<std::string> written_views(const jit::Graph& graph) {
    std::set<std::string> names;
    collect(*graph.block(), names);
    return {names.begin(), names.end()};
}

}  // namespace ventral::models

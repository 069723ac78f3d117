#include "models/recording/operator_flops.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "core/errors.hpp"
#include "models/made_up_images.hpp"
#include "models/recording/call_tree.hpp"
#include "models/recording/one_pass.hpp"
#include "models/recording/operator_arithmetic.hpp"
#include "models/runtime/device_thread.hpp"
#include "models/runtime/torch_message.hpp"
#include "models/runtime/torch_reason.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// A copy of forward with all calls unfolded that returns, for each part of an operator that
/// counts, the tensors that tell its arithmetic, each time that it runs.
class CountingGraph {
public:
    explicit CountingGraph(const Network& network)
        : names_(network.names()), graph_(network.module().get_method("forward").graph()->copy()) {
        visit(graph_->return_node()->next(), graph_->return_node(), "");
        while (!graph_->outputs().empty()) graph_->eraseOutput(0);
        for (const auto& each : parts_) graph_->registerOutput(each.tensors);
        renew_constants(network, *graph_);
        jit::runRequiredPasses(graph_);
    }

    const std::shared_ptr<jit::Graph>& graph() const { return graph_; }

    void add(const jit::Stack& lists, std::map<std::string, double>& flops) const {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const auto tensors = lists[i].toTensorVector();
            for (std::size_t t = 0; t < tensors.size(); t += 2)
                flops[parts_[i].submodule] +=
                    2 * static_cast<double>(tensors[t].numel()) *
                    static_cast<double>(for_each_value(parts_[i].part, tensors[t + 1]));
        }
    }

private:
    struct CountedPart {
        std::string submodule;
        ArithmeticPart part;
        jit::Value* tensors;
    };

    /// Nodes from `node` up to `end`, which are the code of `submodule`.
    void visit(jit::Node* node, const jit::Node* end, const std::string& submodule) {
        while (node != end) {
            auto* next = node->next();
            for (auto* block : node->blocks())
                visit(block->return_node()->next(), block->return_node(), submodule);
            if (auto* function = jit::tryToGraphFunction(node))
                unfold(node, *function, submodule);
            else
                count(node, submodule);
            node = next;
        }
    }

    void unfold(jit::Node* call, jit::GraphFunction& function, std::string submodule) {
        if (call->kind() == c10::prim::CallMethod) {
            const auto name = submodule_name(call->input(0), graph_->inputs().at(0));
            if (name) submodule = names_.has(*name) ? names_.first(*name) : *name;
        } else {
            call->removeInput(0);  // the function itself
        }
        auto* before = call->prev();
        const auto* behind = call->next();
        // Without the graph as third argument it is unfolded down to the last call.
        jit::inlineCallTo(call, &function, function.graph().get());
        visit(before->next(), behind, submodule);
    }

    void count(jit::Node* node, const std::string& submodule) {
        for (auto& part : arithmetic_of(*node)) {
            jit::Value* tensors = nullptr;
            {
                const jit::WithInsertPoint at_begin(*graph_->nodes().begin());
                tensors =
                    graph_->insertNode(graph_->createList(c10::TensorType::get(), {}))->output();
            }
            const jit::WithInsertPoint here(node->next());
            for (auto* tensor : {part.values, part.other}) append(tensors, tensor);
            parts_.push_back({submodule, std::move(part), tensors});
        }
    }

    void append(jit::Value* list, jit::Value* tensor) {
        auto* node = graph_->insertNode(graph_->create(c10::aten::append, {list, tensor}, 1));
        node->output()->setType(list->type());
    }

    const SubmoduleNames& names_;
    std::shared_ptr<jit::Graph> graph_;
    std::vector<CountedPart> parts_;
};

jit::Stack run(const Network& network, const CountingGraph& counting, BatchShape shape,
               std::span<const float> images) {
    std::vector<float> pixels(images.begin(), images.end());  // a network may write into its input
    jit::Stack stack{self_for_one_pass(network),
                     at::from_blob(pixels.data(), shape).to(at::Device(network.device()))};
    network.module().get_method("forward").function().getSchema().checkAndNormalizeInputs(stack);
    jit::InterpreterState(jit::Code(counting.graph(), "count")).run(stack);
    return stack;
}

std::map<std::string, double> flops_of(const Network& network, BatchShape shape,
                                       std::span<const float> images) {
    std::map<std::string, double> flops;
    try {
        const CountingGraph counting(network);
        counting.add(run(network, counting, shape, images), flops);
        return flops;
    } catch (const std::exception& error) {
        throw_torch_failure(forward_failed(network, shape), torch_reason(error));
    }
}

}  // namespace

std::map<std::string, double> operator_flops(const Network& network, BatchShape shape) {
    std::map<std::string, double> flops;
    on_thread_of(network.device(), [&] {
        configure_torch_thread();
        const c10::InferenceMode inference;
        flops = on_made_up_images(
            shape, [&](std::span<const float> images) { return flops_of(network, shape, images); });
    });
    return flops;
}

std::map<std::string, double> stimulus_flops(const Network& network, InputShape input,
                                             std::int64_t batch_size) {
    return on_a_batch(input, {1, batch_size}, [&](const BatchShape& batch) {
        auto flops = operator_flops(network, batch);
        for (auto& [submodule, own] : flops) own /= static_cast<double>(batch[0]);
        return flops;
    });
}

}  // namespace ventral::models

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
#include "models/runtime/device_thread.hpp"
#include "models/runtime/torch_reason.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Which tensors of an operator tell its multiply-adds. Convolution: those of each output value are
/// the weights of one output channel. Transposed convolution: those of each input value are the
/// weights of one input channel. Product: those of each output value are the first factor's
/// columns.
enum class Arithmetic { none, convolution, transposed_convolution, product };

struct Counted {
    Arithmetic arithmetic = Arithmetic::none;
    std::size_t first_factor = 0;  ///< of a product: which input it is
};

Counted counted(const jit::Node& node) {
    const std::string name = node.kind().toQualString();
    if (name == "aten::_convolution" || name == "aten::convolution") {
        const auto transposed = jit::toIValue(node.input(6));
        const bool is_transposed = transposed && transposed->isBool() && transposed->toBool();
        return {is_transposed ? Arithmetic::transposed_convolution : Arithmetic::convolution, 0};
    }
    if (name.starts_with("aten::conv_transpose")) return {Arithmetic::transposed_convolution, 0};
    if (name == "aten::conv1d" || name == "aten::conv2d" || name == "aten::conv3d")
        return {Arithmetic::convolution, 0};
    for (const auto* product : {"aten::linear", "aten::matmul", "aten::mm", "aten::bmm"})
        if (name == product) return {Arithmetic::product, 0};
    if (name == "aten::addmm" || name == "aten::baddbmm") return {Arithmetic::product, 1};
    return {};
}

double multiply_adds(Arithmetic arithmetic, const at::Tensor& rows, const at::Tensor& factor) {
    const auto each = arithmetic == Arithmetic::product
                          ? factor.size(-1)
                          : factor.numel() / std::max<std::int64_t>(factor.size(0), 1);
    return static_cast<double>(rows.numel()) * static_cast<double>(each);
}

/// A copy of forward with all calls unfolded that returns, for each operator that counts, the
/// tensors that tell its arithmetic.
class CountingGraph {
public:
    explicit CountingGraph(const Network& network)
        : names_(network.names()), graph_(network.module().get_method("forward").graph()->copy()) {
        visit(graph_->return_node()->next(), graph_->return_node(), "");
        while (!graph_->outputs().empty()) graph_->eraseOutput(0);
        for (const auto& each : operators_) graph_->registerOutput(each.tensors);
        renew_constants(network, *graph_);
        jit::runRequiredPasses(graph_);
    }

    const std::shared_ptr<jit::Graph>& graph() const { return graph_; }

    void add(const jit::Stack& lists, std::map<std::string, double>& flops) const {
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            const auto tensors = lists[i].toTensorVector();
            for (std::size_t t = 0; t < tensors.size(); t += 2)
                flops[operators_[i].submodule] +=
                    2 * multiply_adds(operators_[i].arithmetic, tensors[t], tensors[t + 1]);
        }
    }

private:
    struct Operator {
        std::string submodule;
        Arithmetic arithmetic;
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
        const auto [arithmetic, first_factor] = counted(*node);
        if (arithmetic == Arithmetic::none) return;
        const bool by_input = arithmetic == Arithmetic::transposed_convolution;
        auto* rows = by_input ? node->input(0) : node->output();
        auto* factor = node->input(arithmetic == Arithmetic::product ? first_factor : 1);
        jit::Value* tensors = nullptr;
        {
            const jit::WithInsertPoint at_begin(*graph_->nodes().begin());
            tensors = graph_->insertNode(graph_->createList(c10::TensorType::get(), {}))->output();
        }
        const jit::WithInsertPoint here(node->next());
        for (auto* tensor : {rows, factor}) append(tensors, tensor);
        operators_.push_back({submodule, arithmetic, tensors});
    }

    void append(jit::Value* list, jit::Value* tensor) {
        auto* node = graph_->insertNode(graph_->create(c10::aten::append, {list, tensor}, 1));
        node->output()->setType(list->type());
    }

    const SubmoduleNames& names_;
    std::shared_ptr<jit::Graph> graph_;
    std::vector<Operator> operators_;
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
        throw core::InputError(network.path() + ": forward failed (" + torch_reason(error) + ")");
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

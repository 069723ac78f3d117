#include "models/network/network.hpp"

#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/api/include/torch/version.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/script.h>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "models/network/archive.hpp"
#include "models/network/code_constants.hpp"
#include "models/network/plain_attributes.hpp"
#include "models/network/random_operators.hpp"
#include "models/recording/call_tree.hpp"
#include "models/recording/inline_forks.hpp"
#include "models/recording/layer_name.hpp"
#include "models/recording/one_pass.hpp"
#include "models/runtime/device_thread.hpp"
#include "models/runtime/storage_place.hpp"
#include "models/runtime/torch_message.hpp"
#include "models/runtime/torch_reason.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
namespace {

namespace jit = torch::jit;

/// Networks of newer releases of torch have operators and files that this one does not know, and
/// those that were optimised operators that no torch reads.
std::string advice(const std::string& reason) {
    const auto says = [&](const char* words) { return reason.find(words) != std::string::npos; };
    const bool is_unknown = says("Unknown builtin op");
    if (is_unknown && !says("Unknown builtin op: aten::") && !says("Unknown builtin op: prim::"))
        return "operators that torch itself does not have, as those of torchvision, are not "
               "supported";
    if (is_unknown || says("may be too old"))
        return std::string("export it with torch ") + TORCH_VERSION + ", as is used here";
    if (says("required keyword attribute"))
        return "save it before torch.jit.optimize_for_inference, not after it";
    return "export it with torch.jit.save, not torch.save";
}

jit::Module read_module(const std::string& path) {
    try {
        auto module = torch::jit::load(path, torch::kCPU);
        module.eval();
        return module;
    } catch (const std::exception& error) {
        throw core::InputError(path + ": not a TorchScript network (" + torch_reason(error) + ") " +
                               advice(error.what()));
    }
}

/// libtorch takes the sizes and strides of a file as they stand, and would read beyond the weights.
void check_extent(const std::string& path, const at::Tensor& tensor) {
    if (!tensor.has_storage()) return;
    double last = static_cast<double>(tensor.storage_offset());
    bool valid = last >= 0;
    bool empty = false;
    for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
        valid = valid && tensor.size(axis) >= 0 && tensor.stride(axis) >= 0;
        empty = empty || tensor.size(axis) == 0;
        last +=
            static_cast<double>(tensor.size(axis) - 1) * static_cast<double>(tensor.stride(axis));
    }
    const auto held = static_cast<double>(tensor.storage().nbytes());
    if (valid && (empty || (last + 1) * static_cast<double>(tensor.itemsize()) <= held)) return;
    throw core::InputError(path +
                           ": damaged TorchScript file (a tensor is larger than what is stored "
                           "of it) copy or export it again");
}

bool is_tensor(const jit::Node& node) {
    return node.kind() == c10::prim::Constant && node.hasAttribute(c10::attr::value) &&
           node.kindOf(c10::attr::value) == jit::AttributeKind::t;
}

void check_constants(const std::string& path, const jit::Block& block) {
    for (const auto* node : block.nodes()) {
        if (is_tensor(*node)) check_extent(path, node->t(c10::attr::value));
        for (const auto* inner : node->blocks()) check_constants(path, *inner);
    }
}

void check_extents(const std::string& path, const jit::Module& module) {
    for (const auto& weight : module.parameters()) check_extent(path, weight);
    for (const auto& weight : module.buffers()) check_extent(path, weight);
    for (auto* function : module._ivalue()->compilation_unit()->get_functions())
        if (auto* code = jit::tryToGraphFunction(*function))
            check_constants(path, *code->graph()->block());
}

/// Those of submodules stand in the code of who calls them; whoever calls forward would have to
/// know of these.
void check_hooks(const std::string& path, const jit::Module& module) {
    if (!module.type()->getForwardHooks().empty() || !module.type()->getForwardPreHooks().empty())
        throw core::InputError(path +
                               ": the network has forward hooks of its own, which are not "
                               "supported; do in forward what they do and export it again");
}

void tell_training(const std::string& path, const jit::Module& module) {
    if (const auto names = core::joined(random_operators(module)); !names.empty())
        core::log_warning_once(path + ": forward draws random numbers (" + names +
                               "), always the same for the same batch of images; export it in "
                               "evaluation mode, unless it is meant to");
    if (const auto names = core::joined(operators_on_batches(module)); !names.empty())
        core::log_warning(path + ": forward normalises by the images of a batch (" + names +
                          "), so that features depend on which are in it; export it in evaluation "
                          "mode");
}

/// Nothing in the file tells a copy of a submodule, which scripting makes of a second name, from
/// another one with the same weights and settings.
void tell_copies(const std::string& path, const SubmoduleNames& names) {
    const auto& copies = names.doubtful();
    if (copies.empty()) return;
    const auto& copy = copies.front();
    core::log_warning(path + ": '" + copy + "' has the class, weights and settings of '" +
                      names.first(copy) + "' and is taken for another name of it" +
                      (copies.size() == 1
                           ? std::string()
                           : ", and so are " + std::to_string(copies.size() - 1) + " others") +
                      " (of one submodule the last call is recorded, whatever its name; submodules "
                      "of their own with tied weights need an export by tools/export_model)");
}

/// That a network carries something from pass to pass is no more than a guess from its code.
void tell_changes(const std::string& path, const StateChanges& changes) {
    if (changes.none()) return;
    auto names = changes.set;
    names.insert(changes.written.begin(), changes.written.end());
    if (changes.constants) names.insert("a tensor in its code");
    core::log_info(path + ": forward stores something in the network (" + core::joined(names) +
                   "); every pass starts from what was loaded, so that passes do not depend on "
                   "earlier ones");
}

void tell_converted(const std::string& path, std::size_t tensors) {
    if (tensors > 0)
        core::log_info(path + ": " + std::to_string(tensors) +
                       " tensors of weights converted to float32");
}

/// Gives every weight the type, device and layout that it is to have; integers keep their type.
class Preparation {
public:
    enum class Doubles { stay, become_floats };
    Preparation(const NetworkOptions& options, Doubles doubles)
        : options_(options), doubles_(doubles) {}

    /// Tensors that share their values, of which some are written, share them afterwards too.
    void keep_shared(const std::vector<at::Tensor>& tensors) {
        std::map<const void*, std::set<const void*>> sharing;
        for (const auto& tensor : tensors)
            if (has_place(tensor) && !tensor.is_quantized())
                sharing[place_of(tensor)].insert(tensor.unsafeGetTensorImpl());
        for (const auto& [place, those] : sharing)
            if (those.size() > 1) shared_.emplace(place, at::Tensor());
    }

    void prepare(at::Tensor weight) {
        if (has_place(weight) && shared_.contains(place_of(weight)))
            return weight.set_data(of_shared(weight));
        auto prepared = converted_if_due(weight.detach()).to(at::Device(options_.device));
        if (options_.memory_layout == MemoryLayout::channels_last && prepared.dim() == 4)
            prepared = prepared.contiguous(at::MemoryFormat::ChannelsLast);
        weight.set_data(prepared);
    }

    std::size_t converted() const { return converted_; }
    const ConvertedTypes& types() const { return types_; }

private:
    at::Tensor converted_if_due(const at::Tensor& tensor) {
        const auto type = tensor.scalar_type();
        if (!tensor.is_floating_point() || type == at::kFloat ||
            (type == at::kDouble && doubles_ == Doubles::stay))
            return tensor;
        types_.insert(c10::toString(type));
        ++converted_;
        return tensor.to(at::kFloat);
    }

    /// In the layout that it has, since one place is as well another's.
    at::Tensor of_shared(const at::Tensor& weight) {
        auto& all = shared_.at(place_of(weight));
        if (!all.defined()) {
            const auto count =
                static_cast<std::int64_t>(weight.storage().nbytes() / weight.itemsize());
            all = at::empty({0}, weight.options()).set_(weight.storage(), 0, {count}, {1}).detach();
            kept_.push_back(all);  // its place must not become another's
            all = converted_if_due(all).to(at::Device(options_.device));
        }
        return all.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
    }

    const NetworkOptions& options_;
    Doubles doubles_;
    std::size_t converted_ = 0;
    ConvertedTypes types_;
    std::map<const void*, at::Tensor> shared_;  ///< by the place of values, once they are prepared
    std::vector<at::Tensor> kept_;
};

/// A network whose parameters are doubles could take no float32 images. In one of float32
/// parameters they are meant: it computes in double where single precision does not do.
Preparation::Doubles doubles_of(const jit::Module& module) {
    for (const auto& parameter : module.parameters())
        if (parameter.scalar_type() == at::kFloat) return Preparation::Doubles::stay;
    return Preparation::Doubles::become_floats;
}

/// Each once, whatever names it has.
std::vector<at::Tensor> weights_of(const jit::Module& module) {
    std::vector<at::Tensor> weights;
    std::set<const void*> known;
    const auto add = [&](const at::Tensor& weight) {
        if (known.insert(weight.unsafeGetTensorImpl()).second) weights.push_back(weight);
    };
    for (const auto& weight : module.parameters()) add(weight);
    for (const auto& weight : module.buffers()) add(weight);
    return weights;
}

/// On a GPU there may be no room for them.
void place_weights(const std::string& path, const jit::Module& module, bool is_written,
                   Preparation& preparation) {
    try {
        if (is_written) preparation.keep_shared(weights_of(module));
        for (const auto& weight : weights_of(module)) preparation.prepare(weight);
    } catch (const c10::Error& error) {
        throw_torch_failure(path + ": the weights cannot be used", torch_reason(error));
    }
}

/// What is no weight, but as the machine had it that the network was saved on.
void fit_to_machine(const std::string& path, const jit::Module& module,
                    const NetworkOptions& options, ConvertedTypes converted) {
    const auto halves = options.device == "cpu" ? multiplied_halves(module) : ConvertedTypes();
    for (const auto& type : halves)
        if (converted.insert(type).second && options.is_told)
            core::log_info(path + ": its code asks for half precision (" + type +
                           "), which CPUs cannot multiply images in; it is run in float32");
    fit_constants(module, options.device, converted);
    fit_attributes(module, options.device, converted);
}

}  // namespace

struct Network::Loaded {
    std::string path;
    NetworkOptions options;
    SubmoduleNames names;
    StateChanges changes;
    std::set<const void*> written_places;
    torch::jit::Module module;
};

Network Network::load(const std::string& path, const NetworkOptions& options) {
    check_archive(path);
    configure_torch();
    const auto module = read_module(path);
    if (!module.find_method("forward"))
        throw core::InputError(path + ": not a network (it has no method forward)");
    check_extents(path, module);
    check_hooks(path, module);
    inline_forks(module);
    return prepared(path, module, options);
}

Network Network::build(const ScriptModule& root, const std::string& path,
                       const NetworkOptions& options) {
    configure_torch();
    return prepared(path, compile(root), options);
}

Network Network::prepared(const std::string& path, const torch::jit::Module& module,
                          const NetworkOptions& options) {
    SubmoduleNames names(module);  // before the weights get places of their own
    auto changes = state_changes(module);
    Preparation preparation(options, doubles_of(module));
    on_thread_of(options.device, [&] {
        if (options.device != "cpu") configure_gpus();
        place_weights(path, module, !changes.written.empty(), preparation);
        fit_to_machine(path, module, options, preparation.types());
    });
    if (options.is_told) {
        tell_training(path, module);
        tell_changes(path, changes);
        tell_copies(path, names);
        tell_converted(path, preparation.converted());
    }
    auto places = places_of(module, changes.written);
    return Network(std::make_shared<const Loaded>(
        Loaded{path, options, std::move(names), std::move(changes), std::move(places), module}));
}

const std::string& Network::path() const { return loaded_->path; }
MemoryLayout Network::memory_layout() const { return loaded_->options.memory_layout; }
const std::string& Network::device() const { return loaded_->options.device; }
const torch::jit::Module& Network::module() const { return loaded_->module; }
const SubmoduleNames& Network::names() const { return loaded_->names; }
const StateChanges& Network::changes() const { return loaded_->changes; }

const std::set<const void*>& Network::written_places() const { return loaded_->written_places; }

std::vector<std::string> Network::layers() const {
    auto layers = tensors();
    std::erase_if(layers, [this](const auto& name) {
        return !parse_layer_name(name, names()).members.empty();
    });
    return layers;
}

std::vector<std::string> Network::doubtful() const { return doubtful_layers(module(), names()); }

std::vector<std::string> Network::unrecordable() const {
    std::set<std::string> reached;
    for (const auto& name : tensors()) reached.insert(parse_layer_name(name, names()).submodule);
    std::vector<std::string> others;
    for (const auto& name : names().all())
        if (reached.count(names().first(name)) == 0) others.push_back(name);
    if (has_output_layer() && reached.count(output_layer) == 0) others.push_back(output_layer);
    return others;
}

bool Network::has_output_layer() const {
    for (const auto& child : module().named_children())
        if (child.name == output_layer) return false;
    return true;
}

std::vector<std::string> Network::tensors() const {
    auto tensors = recordable_layers(module(), names());
    if (!has_output_layer()) return tensors;
    const auto graph = module().get_method("forward").graph();
    for (const auto& choice : tensor_choices(*graph->outputs().at(0)))
        tensors.push_back(output_layer + choice);
    return tensors;
}

}  // namespace ventral::models

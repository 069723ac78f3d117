#pragma once
/// @file
/// A network as TorchScript, loaded once and shared: what it is, not how its layers are recorded.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/builtin/script_module.hpp"
#include "models/model_record.hpp"
#include "models/network/state_changes.hpp"
#include "models/network/submodule_names.hpp"

namespace ventral::models {

/// The layer name of the network's own output, unless it has a submodule of that name.
inline const std::string output_layer = "logits";

struct NetworkOptions {
    MemoryLayout memory_layout = MemoryLayout::channels_last;
    std::string device = "cpu";  ///< as libtorch names it: "cpu", "cuda:0"
    bool is_told = true;         ///< the log says what is odd about the network
};

/// Evaluation mode, weights float32 in the chosen layout on the chosen device. Copies share the
/// weights, and nothing changes after loading, since every pass of a network that stores something
/// in itself has a module of its own (`one_pass.hpp`): any number of threads may use one network.
class Network {
public:
    /// Throws `core::InputError` naming `path` for a file that is missing, damaged or not
    /// TorchScript. Weights of another floating-point type are converted (doubles unless some
    /// parameter is float32), and on a CPU code that multiplies in half precision, with a message
    /// in the log; code and attributes that name another device get the one that is asked for.
    /// TorchScript is foreign code: load only files that you trust.
    static Network load(const std::string& path, const NetworkOptions& options = {});

    /// A network that the program makes itself; `path` stands for its file in messages.
    static Network build(const ScriptModule& root, const std::string& path,
                         const NetworkOptions& options = {});

    const std::string& path() const;
    MemoryLayout memory_layout() const;
    const std::string& device() const;

    /// The layers that can be recorded: submodules that forward calls and that return a tensor, in
    /// the order of their first call, then `output_layer`. Of tuples the name stands for the first
    /// member. Of a submodule that has several names it is the first one.
    std::vector<std::string> layers() const;

    /// The same with every tensor that a name can choose (`layer_name.hpp`): also the further
    /// members of tuples, and those of dicts whose keys stand in the code.
    std::vector<std::string> tensors() const;

    /// Layers whose first tensor need not be their output, since they were traced
    /// (`doubtful_layers`).
    std::vector<std::string> doubtful() const;

    /// The submodules that no layer name reaches: forward never calls them (or for training only,
    /// as the auxiliary classifiers of GoogLeNet), or they return no tensor; and `output_layer`, if
    /// the network returns none.
    std::vector<std::string> unrecordable() const;

    /// Whether `output_layer` means the network's own output.
    bool has_output_layer() const;

    /// For the other files of this module.
    const torch::jit::Module& module() const;
    const SubmoduleNames& names() const;
    const StateChanges& changes() const;
    /// Where the values lie that a pass writes, see `places_of` in `one_pass.hpp`.
    const std::set<const void*>& written_places() const;

private:
    struct Loaded;
    explicit Network(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
    static Network prepared(const std::string& path, const torch::jit::Module& module,
                            const NetworkOptions& options);
    std::shared_ptr<const Loaded> loaded_;
};

}  // namespace ventral::models

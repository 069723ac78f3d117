#pragma once
/// @file
/// Small TorchScript networks for tests, written in TorchScript's own language.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/network/network.hpp"
#include "support/temporary_folder.hpp"

namespace ventral::test {

/// How the file stores the weights.
enum class WeightType { float32, float16, float64 };

struct ScriptedWeight {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    bool is_buffer = false;               ///< and no parameter
    std::optional<WeightType> type = {};  ///< if not the file's
};

/// A module: `self.NAME` is one of its weights or submodules; a submodule is called as
/// `self.NAME.forward(x)`, as the saved code of every network does.
struct ScriptedModule {
    std::string name;     ///< as attribute of the module above; of the root any identifier
    std::string forward;  ///< its methods, "def forward(self, x):\n  return x\n"
    std::vector<ScriptedWeight> weights;
    std::vector<ScriptedModule> children;
    /// A second name for the first child, the same object; empty: none.
    std::string alias_of_first_child;
    /// Another object of the same class and tensors, which is what scripting makes of an alias.
    std::string copy_of_first_child = {};
    bool is_traced = false;  ///< its code is quoted from no source, as in a trace
};

/// Writes what `torch.jit.save` would write.
void save_network(const ScriptedModule& root, const std::string& path,
                  WeightType weight_type = WeightType::float32);

/// The network as it is read from such a file.
inline models::Network saved(const ScriptedModule& root) {
    const TemporaryFolder folder;
    save_network(root, folder.file("network.ts"));
    return models::Network::load(folder.file("network.ts"));
}

/// How often libtorch's operator of this name ("aten::relu") is called on this thread by `work`.
std::size_t calls_of(const std::string& name, const std::function<void()>& work);

/// The constant booleans that forward of a network hands to the operator of this name, by argument.
std::map<std::string, bool> switches_of(const models::Network& network, const std::string& name);

/// Where a tensor of so many float32 lay. Throws what libtorch does if it cannot be had.
const void* place_of_a_tensor(std::int64_t values);

}  // namespace ventral::test

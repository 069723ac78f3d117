#pragma once
/// @file
/// A network as text and numbers, for networks that the program makes itself: what it computes in
/// TorchScript's language, with its weights. `Network::build` makes it run.

#include <cstdint>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace ventral::models {

/// `self.NAME` in the methods; values in row-major order.
struct ScriptWeight {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// A module and the modules in it. A child is called as `self.NAME.forward(x)`, so that it can be
/// recorded as the layer NAME.
struct ScriptModule {
    std::string name;     ///< as attribute of the module above; of the root any identifier
    std::string methods;  ///< "def forward(self, x):\n    return x\n", more methods if need be
    std::vector<ScriptWeight> weights;
    std::vector<ScriptModule> children;
};

/// For the other files of this module. Names of modules are different ones.
torch::jit::Module compile(const ScriptModule& root);

}  // namespace ventral::models

#include "models/network/node_kind.hpp"

#include <algorithm>
#include <string>

#include <torch/csrc/jit/ir/ir.h>

namespace ventral::models {

bool is_one_of(const torch::jit::Node& node, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), std::string(node.kind().toQualString())) !=
           names.end();
}

}  // namespace ventral::models

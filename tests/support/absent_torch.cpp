/// @file
/// In place of `models/runtime/no_torch_runtime.cpp`: what a run of stored features asks of
/// libtorch where there is none. Networks are still refused.

#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {

bool has_networks() { return false; }
void configure_torch() {}
void configure_torch_thread() {}
void forget_compiled_operators() {}
std::string torch_fingerprint() { return "no torch"; }
Gpus visible_gpus() { return {}; }

}  // namespace ventral::models

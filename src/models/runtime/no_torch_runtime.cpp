/// @file
/// The part of `no_networks.cpp` that any run asks for, whether it has networks or not: apart, for
/// tests of runs without networks to answer in its place.

#include "models/runtime/no_networks.hpp"
#include "models/runtime/torch_runtime.hpp"

namespace ventral::models {
bool has_networks() { return false; }
void configure_torch() { refuse_networks(); }
void configure_torch_thread() { refuse_networks(); }
void forget_compiled_operators() { refuse_networks(); }
std::string torch_fingerprint() { refuse_networks(); }
Gpus visible_gpus() { refuse_networks(); }

}  // namespace ventral::models

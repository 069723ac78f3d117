/// @file
/// The part of `no_networks.cpp` that any run asks for, whether it has networks or not: apart, for
/// tests of runs without networks to answer in its place.

#include <cassert>
#include <stdexcept>

#include "models/torch_runtime.hpp"

namespace ventral::models {
namespace {

[[noreturn]] void refuse_runtime() {
    assert(false);
    throw std::logic_error("this program is linked without libtorch");
}

}  // namespace

bool has_networks() { return false; }
void configure_torch() { refuse_runtime(); }
void configure_torch_thread() { refuse_runtime(); }
void forget_compiled_operators() { refuse_runtime(); }
std::string torch_fingerprint() { refuse_runtime(); }
Gpus visible_gpus() { refuse_runtime(); }

}  // namespace ventral::models

#include "models/runtime/torch_runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/api/include/torch/version.h>
#include <torch/csrc/jit/passes/graph_fuser.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include "models/runtime/gpu_kinds.hpp"
#include "models/runtime/tensor_memory.hpp"
#include "stats/linear_algebra/linear_algebra.hpp"

// Of oneDNN, which libtorch brings with it; Debian's libtorch comes without the declarations.
extern "C" {
[[gnu::weak]] int dnnl_get_primitive_cache_capacity(int*);
[[gnu::weak]] int dnnl_set_primitive_cache_capacity(int);
}

namespace ventral::models {
namespace {

/// The part of `text` between `before` and `after`, without both.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return "unknown";
    const auto rest = text.substr(begin + before.size());
    return rest.substr(0, rest.find(after));
}

std::string cuda_fingerprint() {
    if (visible_gpus().count == 0) return "";
    const auto& cuda = at::detail::getCUDAHooks();
    std::string text = ", CUDA " + std::to_string(cuda.versionCUDART()) + ", cuDNN " +
                       (cuda.compiledWithCuDNN() ? std::to_string(cuda.versionCuDNN()) : "none");
    for (const auto& name : gpu_kinds()) text += ", " + name;
    return text;
}

}  // namespace

bool has_networks() { return true; }

void configure_torch() {
    // What a network prints is no result.
    torch::jit::setPrintHandler([](const std::string& text) { std::fputs(text.c_str(), stderr); });
    stats::use_one_blas_thread();
    place_tensors_in_blocks();
    configure_torch_thread();
    // A second call of this setter is an error in libtorch.
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
    torch::jit::getProfilingMode() = false;
    torch::jit::getExecutorMode() = false;
    torch::jit::overrideCanFuseOnCPULegacy(false);
    torch::jit::setTensorExprFuserEnabled(false);
}

void configure_gpus() {
    auto& context = at::globalContext();
    context.setBenchmarkCuDNN(false);
    context.setDeterministicCuDNN(true);
    context.setAllowTF32CuDNN(false);
    context.setAllowTF32CuBLAS(false);
    // By default cuBLAS may split the sums of a product in another way whenever it has other
    // memory; read at its first use.
    constexpr int keep_what_is_set = 0;
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", keep_what_is_set);
    constexpr bool deterministic = true, where_there_are_such = true;
    context.setDeterministicAlgorithms(deterministic, where_there_are_such);
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
    context.setDeterministicFillUninitializedMemory(false);  // for who reads what nobody wrote
#endif
}

void configure_torch_thread() {
    static thread_local const bool once = (at::set_num_threads(1), true);
    static_cast<void>(once);
}

void forget_compiled_operators() {
    if (!dnnl_get_primitive_cache_capacity || !dnnl_set_primitive_cache_capacity) return;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    int capacity = 0;
    if (dnnl_get_primitive_cache_capacity(&capacity) != 0) return;
    dnnl_set_primitive_cache_capacity(0);
    dnnl_set_primitive_cache_capacity(capacity);
}

std::string torch_fingerprint() {
    return std::string("torch ") + TORCH_VERSION + ", CPU capability " +
           between(at::show_config(), "CPU capability usage: ", "\n") + ", oneDNN " +
           between(at::get_mkldnn_version(), "MKL-DNN ", " ") + cuda_fingerprint();
}

Gpus visible_gpus() {
    const auto& cuda = at::detail::getCUDAHooks();
    return {cuda.hasCUDART(), cuda.getNumGPUs()};
}

}  // namespace ventral::models

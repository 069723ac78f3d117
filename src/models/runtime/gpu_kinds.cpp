#include "models/runtime/gpu_kinds.hpp"

#include <array>

#include <dlfcn.h>

namespace ventral::models {
namespace {

template <typename Function>
Function* function_of(void* driver, const char* name) {
    return reinterpret_cast<Function*>(dlsym(driver, name));
}

}  // namespace

std::set<std::string> gpu_kinds() {
    std::set<std::string> names;
    // Stays open: libtorch uses it too.
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) return names;
    // CUDA Driver API: 0 is success, and a device a number.
    auto* init = function_of<int(unsigned)>(driver, "cuInit");
    auto* get_count = function_of<int(int*)>(driver, "cuDeviceGetCount");
    auto* get_device = function_of<int(int*, int)>(driver, "cuDeviceGet");
    auto* get_name = function_of<int(char*, int, int)>(driver, "cuDeviceGetName");
    int count = 0;
    if (!init || !get_count || !get_device || !get_name) return names;
    if (init(0) != 0 || get_count(&count) != 0) return names;
    for (int i = 0; i < count; ++i) {
        int device = 0;
        std::array<char, 256> name{};
        if (get_device(&device, i) == 0 &&
            get_name(name.data(), static_cast<int>(name.size() - 1), device) == 0)
            names.insert(name.data());
    }
    return names;
}

}  // namespace ventral::models

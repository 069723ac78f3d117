#include "models/runtime/tensor_memory.hpp"

#include <cstring>

#include <c10/core/CPUAllocator.h>
#include <torch/csrc/api/include/torch/version.h>

#include "core/allocator.hpp"

namespace ventral::models {
namespace {

c10::DataPtr take(std::size_t bytes) {
    void* block = bytes > 0 ? core::take_block(bytes) : nullptr;
    // In the words of libtorch's own, by which its users know that memory ran out.
    TORCH_CHECK(block || bytes == 0, "DefaultCPUAllocator: can't allocate memory: ", bytes,
                " bytes were asked for");
    return {block, block, &core::put_block, c10::Device(c10::DeviceType::CPU)};
}

class InBlocks final : public c10::Allocator {
public:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
    c10::DataPtr allocate(std::size_t bytes) override { return take(bytes); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        std::memcpy(to, from, bytes);
    }
#else
    c10::DataPtr allocate(std::size_t bytes) const override { return take(bytes); }
#endif
    c10::DeleterFnPtr raw_deleter() const override { return &core::put_block; }
};

}  // namespace

void place_tensors_in_blocks() {
    static const bool once = [] {
        c10::SetCPUAllocator(new InBlocks);  // for ever: tensors may outlive any static object
        return true;
    }();
    static_cast<void>(once);
}

}  // namespace ventral::models

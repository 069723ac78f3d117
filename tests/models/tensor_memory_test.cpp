#include "models/runtime/tensor_memory.hpp"

#include <cstdint>
#include <optional>

#include <catch2/catch.hpp>

#include "core/allocator.hpp"
#include "support/sanitized.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral;

TEST_CASE("a tensor lies in a block of the thread that makes it") {
    if (!test::has_block_pools) return;
    models::place_tensors_in_blocks();
    const core::KeepsFreedBlocks keeps;
    constexpr std::int64_t values = 1 << 20;
    void* block = core::take_block(values * sizeof(float));
    core::put_block(block);
    CHECK(test::place_of_a_tensor(values) == block);
    CHECK(test::place_of_a_tensor(values) == block);
}

TEST_CASE("a tensor for which there is no memory is told as libtorch does") {
    models::place_tensors_in_blocks();
    for (const bool kept : {false, true}) {
        std::optional<core::KeepsFreedBlocks> keeps;
        if (kept) keeps.emplace();
        CHECK_THROWS_WITH(test::place_of_a_tensor(std::int64_t{1} << 58),
                          Catch::Contains("DefaultCPUAllocator"));
    }
    CHECK(test::place_of_a_tensor(0) == nullptr);
}

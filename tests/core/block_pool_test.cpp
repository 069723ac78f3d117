#include "core/block_pool.hpp"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "core/private_memory.hpp"

using namespace ventral;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t most = 256 * mebibyte;

/// A pool's block, written to from end to end.
std::byte* written(core::BlockPool& pool, std::size_t bytes, int value) {
    auto* block = static_cast<std::byte*>(pool.take(bytes));
    REQUIRE(block);
    std::memset(block, value, bytes);
    return block;
}

bool holds(const std::byte* block, std::size_t bytes, int value) {
    for (std::size_t i = 0; i < bytes; ++i)
        if (block[i] != static_cast<std::byte>(value)) return false;
    return true;
}

}  // namespace

TEST_CASE("blocks are aligned and lie apart") {
    core::BlockPool pool(most);
    const std::vector<std::size_t> sizes = {0, 1, 63, 64, 65, 3 * mebibyte + 7, 100};
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        blocks.push_back(written(pool, sizes[i], static_cast<int>(i + 1)));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CHECK(reinterpret_cast<std::uintptr_t>(blocks[i]) % core::block_alignment == 0);
        CHECK(holds(blocks[i], sizes[i], static_cast<int>(i + 1)));
    }
}

TEST_CASE("the lowest gap that is wide enough is used again") {
    core::BlockPool pool(most);
    auto* first = written(pool, mebibyte, 1);
    auto* second = written(pool, 2 * mebibyte, 2);
    auto* third = written(pool, mebibyte, 3);
    auto* fourth = written(pool, mebibyte, 4);
    pool.put(first);
    pool.put(third);
    CHECK(pool.take(mebibyte / 2) == first);
    CHECK(pool.take(mebibyte) == third);
    CHECK(pool.take(mebibyte / 2) == first + mebibyte / 2);
    CHECK(holds(second, 2 * mebibyte, 2));
    CHECK(holds(fourth, mebibyte, 4));
}

TEST_CASE("gaps side by side are one gap") {
    core::BlockPool pool(most);
    auto* first = written(pool, mebibyte, 1);
    auto* second = written(pool, mebibyte, 2);
    auto* third = written(pool, mebibyte, 3);
    auto* last = written(pool, mebibyte, 4);
    SECTION("freed from the front") {
        for (auto* block : {first, second, third}) pool.put(block);
    }
    SECTION("freed from the back") {
        for (auto* block : {third, second, first}) pool.put(block);
    }
    SECTION("the one between them last") {
        for (auto* block : {first, third, second}) pool.put(block);
    }
    CHECK(pool.take(3 * mebibyte) == first);
    CHECK(holds(last, mebibyte, 4));
}

TEST_CASE("the same calls again take no more") {
    core::BlockPool pool(most);
    const auto pass = [&] {
        auto* image = written(pool, 5 * mebibyte, 1);
        auto* wide = written(pool, 20 * mebibyte, 2);
        pool.put(image);
        auto* narrow = written(pool, 4 * mebibyte, 3);
        pool.put(wide);
        pool.put(narrow);
    };
    pass();
    const auto held = pool.held();
    CHECK(held >= 25 * mebibyte);
    CHECK(held < 28 * mebibyte);
    for (int again = 0; again < 3; ++again) pass();
    CHECK(pool.held() == held);
}

TEST_CASE("what lies behind the last block in use is given back") {
    core::BlockPool pool(most);
    auto* kept = written(pool, mebibyte, 1);
    pool.put(written(pool, 40 * mebibyte, 2));
    REQUIRE(pool.held() >= 41 * mebibyte);
    pool.give_back();
    CHECK(pool.held() == 2 * mebibyte);
    CHECK(holds(kept, mebibyte, 1));
    CHECK(holds(written(pool, 40 * mebibyte, 3), 40 * mebibyte, 3));
}

TEST_CASE("without room there is no block, and the others stay") {
    core::BlockPool pool(64 * mebibyte);
    auto* first = written(pool, 30 * mebibyte, 1);
    CHECK(pool.take(64 * mebibyte) == nullptr);
    CHECK(pool.take(SIZE_MAX) == nullptr);
    CHECK(written(pool, 30 * mebibyte, 2));
    CHECK(holds(first, 30 * mebibyte, 1));
    core::BlockPool none(0);
    CHECK(none.take(1) == nullptr);
    none.give_back();
}

TEST_CASE("threads may share a pool") {
    core::BlockPool pool(most);
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&pool, &wrong, t] {
            for (int i = 0; i < 200; ++i) {
                const std::size_t bytes = static_cast<std::size_t>(1000 * (i % 7 + 1));
                auto* block = static_cast<std::byte*>(pool.take(bytes));
                std::memset(block, t + 1, bytes);
                wrong[static_cast<std::size_t>(t)] += !holds(block, bytes, t + 1);
                pool.put(block);
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("where the system has no memory there is no block, and the pool goes on") {
    core::BlockPool pool(most);
    auto* first = written(pool, mebibyte, 1);
    rlimit before{};
    getrlimit(RLIMIT_DATA, &before);
    rlimit bound = before;
    bound.rlim_cur = static_cast<rlim_t>(core::own_memory("VmData")) + 8 * mebibyte;
    setrlimit(RLIMIT_DATA, &bound);
    void* too_much = pool.take(100 * mebibyte);
    setrlimit(RLIMIT_DATA, &before);
    CHECK(too_much == nullptr);
    CHECK(pool.held() == 2 * mebibyte);
    CHECK(written(pool, 100 * mebibyte, 2));
    CHECK(holds(first, mebibyte, 1));
}

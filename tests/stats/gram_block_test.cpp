#include "stats/gram/gram_block.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <unistd.h>

using namespace ventral::stats;

namespace {

const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// The part of some memory that is whole pages.
std::span<std::byte> pages_of(std::span<double> memory) {
    const auto bytes = std::as_writable_bytes(memory);
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::size_t before = (page - begin % page) % page;
    return bytes.subspan(before, (bytes.size() - before) / page * page);
}

bool is_resident(std::span<std::byte> pages) {
    std::vector<unsigned char> resident(pages.size() / page);
    REQUIRE(mincore(pages.data(), pages.size(), resident.data()) == 0);
    return std::all_of(resident.begin(), resident.end(), [](unsigned char r) { return r & 1; });
}

}  // namespace

TEST_CASE("memory for a Gram is zero and large enough to build one in") {
    // Rows (1, 2) and (3, 6): centred (-1, -2) and (1, 2).
    const std::vector<double> x = {1, 2, 3, 6};
    const FeatureMatrix features = {std::span<const double>(x), 2, 2, 2};
    const GramBlock block(2, 2);
    const auto kernel = block.memory().kernel;
    REQUIRE(kernel.size() == 4);
    CHECK(std::all_of(kernel.begin(), kernel.end(), [](double value) { return value == 0; }));
    ventral::core::Workers workers(2);
    build_gram(
        {2, 2,
         [&](std::size_t first, std::size_t count) { return columns_of(features, first, count); }},
        block.memory(), workers, {});
    CHECK(std::vector<double>(kernel.begin(), kernel.end()) == std::vector<double>{5, -5, -5, 5});
}

TEST_CASE("what a Gram is stays when the memory of its panels is given back") {
    const std::size_t rows = 100;
    const std::vector<double> x(rows * 50, 1.0);
    const FeatureMatrix features = {std::span<const double>(x), rows, 50, 50};
    GramBlock block(rows, 50);
    ventral::core::Workers workers(1);
    build_gram(
        {rows, 50,
         [&](std::size_t first, std::size_t count) { return columns_of(features, first, count); }},
        block.memory(), workers, {});
    block.drop_scratch();
    const auto& memory = block.memory();
    CHECK(memory.panels[0].empty());
    CHECK(memory.kernel.size() == rows * rows);
    CHECK(memory.kernel[rows * rows - 1] == 0);
    CHECK(memory.row_sums[rows - 1] == 50);
    CHECK(memory.mean_squared[0] == 50);
}

TEST_CASE("memory that is touched is there as far as it is used, and keeps what is in it") {
    // So many rows that a panel is larger than the large page that the end of another may lie in.
    constexpr std::size_t rows = 2100;
    const GramBlock block(rows, panel_features + 1);
    const auto kernel = block.memory().kernel;
    const auto pages = pages_of(block.memory().panels[1]);
    CHECK_FALSE(is_resident(pages));
    kernel[5] = 2.5;
    block.touch(false);
    if (madvise(pages.data(), page, MADV_POPULATE_WRITE) == 0) {
        CHECK(is_resident(pages));
        CHECK_FALSE(is_resident(pages_of(block.memory().panels[2])));
    } else
        WARN("skipped: this system gives memory only as it is used");
    CHECK(kernel[5] == 2.5);
    CHECK(std::count(kernel.begin(), kernel.end(), 0.0) == rows * rows - 1);
}

TEST_CASE("memory that the machine does not have is an exception") {
    CHECK_THROWS_AS(GramBlock(std::size_t{1} << 29, 1), std::bad_alloc);
}

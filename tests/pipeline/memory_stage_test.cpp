#include "pipeline/outlook/memory_stage.hpp"

#include <catch2/catch.hpp>

using namespace ventral::pipeline;

namespace {

constexpr double mebibyte = 1 << 20;

/// Of which 40 MiB are in small blocks, then 30 more.
std::vector<MemoryStage> stages() {
    std::vector<MemoryStage> all{
        {"recordings"}, {"Gram of a"}, {"fits to a"}, {"Gram of b"}, {"fits to b"}};
    for (const double block : {60.0, 20.0, 20.0}) all[1].share(block * mebibyte);
    all[2].shared = 70 * mebibyte;
    for (const double block : {50.0, 24.0, 6.0}) all[3].share(block * mebibyte);
    all[4].shared = 10 * mebibyte;
    return all;
}

}  // namespace

TEST_CASE("what ranks keep of what they have shared counts in later stages") {
    auto with = stages();
    add_spare_memory(with, 2);
    CHECK(with[0].shared == 0);
    CHECK(with[1].shared == 100 * mebibyte);
    CHECK(with[2].shared == 100 * mebibyte);  // never more than was shared at once
    CHECK(with[3].shared == 100 * mebibyte);
    CHECK(with[4].shared == 74 * mebibyte);  // at most 64 MiB are kept
}

TEST_CASE("large blocks are given back") {
    auto with = stages();
    with.pop_back();
    with[3].share(25 * mebibyte);
    CHECK(with[3].shared == 105 * mebibyte);
    CHECK(with[3].kept == 30 * mebibyte);
    with.push_back({"fits to b"});
    with[1].kept = 0;
    add_spare_memory(with, 2);
    CHECK(with[4].shared == 30 * mebibyte);
}

TEST_CASE("a rank alone keeps nothing of what it has shared") {
    auto with = stages();
    add_spare_memory(with, 1);
    CHECK(with[2].shared == 70 * mebibyte);
    CHECK(with[4].shared == 10 * mebibyte);
}

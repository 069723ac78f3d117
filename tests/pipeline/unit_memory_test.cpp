#include "pipeline/unit_memory.hpp"

#include <catch2/catch.hpp>

using namespace ventral::pipeline;

namespace {

constexpr double mebibyte = 1 << 20;

std::vector<MemoryStage> stages() {
    return {{"recordings"},
            {"Gram of a", 100 * mebibyte},
            {"fits to a", 70 * mebibyte},
            {"fits to b", 10 * mebibyte}};
}

}  // namespace

TEST_CASE("what ranks keep of what they have shared counts in later stages") {
    auto with = stages();
    add_spare_memory(with, 2);
    CHECK(with[0].shared == 0);
    CHECK(with[1].shared == 100 * mebibyte);
    CHECK(with[2].shared == 100 * mebibyte);  // never more than was shared at once
    CHECK(with[3].shared == 74 * mebibyte);   // and at most 64 MiB are kept
}

TEST_CASE("a rank alone keeps nothing of what it has shared") {
    auto with = stages();
    add_spare_memory(with, 1);
    CHECK(with[2].shared == 70 * mebibyte);
    CHECK(with[3].shared == 10 * mebibyte);
}

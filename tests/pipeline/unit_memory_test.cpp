#include "pipeline/unit_memory.hpp"

#include <catch2/catch.hpp>

using namespace ventral::pipeline;

namespace {

constexpr double mebibyte = 1 << 20;

std::vector<MemoryStage> stages() {
    MemoryStage gram{"Gram of a", 100 * mebibyte};
    gram.kept_shared = 40 * mebibyte;
    return {gram, {"fits to a", 70 * mebibyte}, {"passes of the network"}};
}

}  // namespace

TEST_CASE("what ranks keep of what they have shared counts in the stages that share less") {
    auto with = stages();
    add_kept_shared(with, 2);
    CHECK(with[0].shared == 100 * mebibyte);
    CHECK(with[1].shared == 100 * mebibyte);  // never more than was shared at once
    CHECK(with[2].shared == 40 * mebibyte);
}

TEST_CASE("no more is kept than a group keeps at most, and nothing by one rank") {
    auto with = stages();
    with[0].kept_shared = 90 * mebibyte;
    add_kept_shared(with, 2);
    CHECK(with[2].shared == 64 * mebibyte);
    with = stages();
    add_kept_shared(with, 1);
    CHECK(with[1].shared == 70 * mebibyte);
    CHECK(with[2].shared == 0);
}

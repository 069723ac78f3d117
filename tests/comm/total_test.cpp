#include "comm/total.hpp"

#include <catch2/catch.hpp>

#include "support/ranks.hpp"

using namespace ventral;

TEST_CASE("the counts of all ranks are added up") {
    test::on_ranks([](comm::Communicator& world) {
        const std::int64_t n = world.size();
        CHECK(comm::total(world, world.rank() + 1) == n * (n + 1) / 2);
    });
}

TEST_CASE("what is true on one rank is true on any") {
    test::on_ranks([](comm::Communicator& world) {
        CHECK(comm::on_any_rank(world, world.rank() == world.size() - 1));
        CHECK_FALSE(comm::on_any_rank(world, false));
    });
}

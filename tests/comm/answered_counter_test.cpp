#include "comm/answered_counter.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "support/ranks.hpp"

using namespace ventral;

namespace {

constexpr int done_tag = 1;

std::vector<std::int64_t> of_all_ranks(const std::vector<std::int64_t>& own,
                                       comm::Communicator& world) {
    std::vector<std::int64_t> all;
    for (const auto& numbers : comm::gather_records(world, own))
        all.insert(all.end(), numbers.begin(), numbers.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::int64_t> up_to(int count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
}

}  // namespace

TEST_CASE("an answered counter hands out each number once, also when rank 0 has enough") {
    test::on_ranks([](comm::Communicator& world) {
        std::vector<std::int64_t> own;
        {
            const auto counter = comm::make_answered_counter(world.split(0));
            const int wanted = world.rank() == 0 ? 1 : 20;
            for (int i = 0; i < wanted; ++i) own.push_back(counter->next());
            CHECK(std::is_sorted(own.begin(), own.end()));
        }
        CHECK(of_all_ranks(own, world) == up_to(20 * world.size() - 19));
    });
}

TEST_CASE("rank 0 answers while it does something else") {
    test::on_ranks([](comm::Communicator& world) {
        const auto counter = comm::make_answered_counter(world.split(0));
        std::vector<std::int64_t> own;
        if (world.rank() == 0) {
            for (int done = 1; done < world.size(); counter->answer())
                while (world.try_receive(done_tag)) ++done;
        } else {
            own = {counter->next(), counter->next()};
            world.send(0, done_tag, "");
        }
        CHECK(of_all_ranks(own, world) == up_to(2 * world.size() - 2));
    });
}

TEST_CASE("answered counters count apart from each other") {
    test::on_ranks([](comm::Communicator& world) {
        const auto first = comm::make_answered_counter(world.split(0));
        const auto second = comm::make_answered_counter(world.split(0));
        if (world.rank() == 0) CHECK(first->next() == 0);
        if (world.rank() == world.size() - 1) CHECK(second->next() == 0);
    });
}

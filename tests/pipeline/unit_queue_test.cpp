#include "pipeline/schedule/unit_queue.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/records.hpp"
#include "support/ranks.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::UnitQueue;

namespace {

/// What all teams have been handed out, in order; each tells it by its first rank.
std::vector<std::size_t> of_all_teams(const std::vector<std::size_t>& own,
                                      comm::Communicator& world, const comm::Communicator& team) {
    std::vector<std::size_t> all;
    for (const auto& items : comm::gather_records(world, team.rank() == 0 ? own : decltype(own){}))
        all.insert(all.end(), items.begin(), items.end());
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

TEST_CASE("each unit is handed out to one team, also where teams ask one ahead") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto half = world.split(world.rank() % 2);
        test::Team team(*half, folder);
        for (const std::size_t count : {0, 1, 2, 7}) {
            UnitQueue queue(count, world, team.context);
            std::vector<std::size_t> own;
            bool asks_ahead = false;
            while (const auto item = queue.next()) {
                own.push_back(*item);
                asks_ahead = !asks_ahead;
                if (!asks_ahead) continue;
                std::optional<std::size_t> ahead;
                if (half->rank() == half->size() - 1) {
                    ahead = queue.ahead();
                    CHECK(queue.ahead() == ahead);
                    if (ahead) CHECK(*ahead > *item);
                }
                half->barrier();
            }
            std::vector<std::size_t> expected(count);
            std::iota(expected.begin(), expected.end(), std::size_t{0});
            CHECK(of_all_teams(own, world, *half) == expected);
        }
    });
}

TEST_CASE("what was asked ahead is what comes next, on all ranks of the team") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        test::Team team(world, folder);
        UnitQueue queue(3, world, team.context);
        CHECK(queue.next() == std::size_t{0});
        CHECK(queue.ahead() == std::size_t{1});
        world.barrier();
        CHECK(queue.next() == std::size_t{1});
        CHECK(queue.next() == std::size_t{2});
        CHECK_FALSE(queue.ahead());
        world.barrier();
        CHECK_FALSE(queue.next());
    });
}

#include "pipeline/schedule/answering.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "comm/answered_counter.hpp"
#include "comm/records.hpp"
#include "pipeline/extraction/network_trials.hpp"
#include "pipeline/schedule/unit_queue.hpp"
#include "pipeline/watch/watched_communicator.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::Answering;
using test::Team;

namespace {

/// A world whose ranks are on nodes of their own.
class Apart : public pipeline::WatchedCommunicator {
public:
    using WatchedCommunicator::WatchedCommunicator;
    std::unique_ptr<comm::Counter> make_counter() override {
        return comm::make_answered_counter(split(0));
    }
};

constexpr int done_tag = 1;

/// Whether all other ranks have said that they are done, while this one works at tasks of its own.
/// The time is only there so that a wrong program ends.
bool all_are_done(comm::Communicator& world, core::Workers& workers) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int done = 1;
    while (done < world.size() && std::chrono::steady_clock::now() < end) {
        workers.parallel_for(3, [](std::size_t) {});
        while (world.try_receive(done_tag)) ++done;
    }
    return done == world.size();
}

}  // namespace

TEST_CASE("teams on other nodes get their numbers while rank 0 computes") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        pipeline::StageClock clock;
        Apart apart(world, clock);
        const auto own_node = world.split(world.rank());
        for (const std::size_t threads : {1, 2}) {
            Team team(*own_node, folder, threads);
            const auto counter = apart.make_counter();
            const Answering answering(*counter, apart, team.context);
            if (world.rank() > 0) {
                counter->next();
                world.send(0, done_tag, "");
            } else {
                CHECK(all_are_done(world, team.workers));
            }
            world.barrier();
        }
    });
}

TEST_CASE("teams on other nodes get their numbers while rank 0 tries a network") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        pipeline::StageClock clock;
        Apart apart(world, clock);
        const auto own_node = world.split(world.rank());
        Team team(*own_node, folder);
        const auto counter = apart.make_counter();
        const Answering answering(*counter, apart, team.context);
        const auto note = [&](int rank) { return folder + "/number" + std::to_string(rank); };
        if (world.rank() > 0) {
            counter->next();
            std::ofstream(note(world.rank())) << "has it";
        } else {
            int rank = 1;  // the first that has no number yet
            const auto wait_for_all = [&](const std::vector<models::ModelRecord>&) {
                const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (rank < world.size() && std::chrono::steady_clock::now() < end)
                    if (std::filesystem::exists(note(rank))) ++rank;
                return std::map<std::string, std::string>();
            };
            config::RunRecord run;
            run.models.resize(1);
            pipeline::NetworkTrials(run, wait_for_all).require(0, team.context);
            CHECK(rank == world.size());
        }
        world.barrier();
    });
}

TEST_CASE("units are handed out once each, to teams on several nodes too") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        pipeline::StageClock clock;
        Apart apart(world, clock);
        const auto own_node = world.split(world.rank());
        for (const std::size_t count : {0, 1, 20}) {
            Team team(*own_node, folder);
            std::vector<std::size_t> own;
            {
                pipeline::UnitQueue queue(count, apart, team.context);
                while (const auto item = queue.next()) own.push_back(*item);
            }
            std::multiset<std::size_t> all;
            for (const auto& items : comm::gather_records(world, own))
                all.insert(items.begin(), items.end());
            CHECK(all.size() == count);
            CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == count);
        }
    });
}

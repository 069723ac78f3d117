#include "pipeline/watch/stage_report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pipeline/watch/watched_communicator.hpp"
#include "support/planned_run.hpp"
#include "support/ranks.hpp"
#include "support/recorded_scores.hpp"

using namespace ventral;
using pipeline::RankTimes;
using pipeline::Stage;
using pipeline::StageClock;

TEST_CASE("busy is all but waiting, other what no stage has") {
    // extract, Gram, fit, ceilings, wait, I/O
    const RankTimes first{"a", {1, 2, 3, 0.5, 0.25, 1}, 8};
    const RankTimes second{"b", {1, 0, 0, 0, 6.75, 0}, 8};
    CHECK(first.busy() == 7.75);
    CHECK(first.other() == 0.25);
    CHECK(pipeline::imbalance({first, second}) == 7.75 / 4.5);
    CHECK(pipeline::imbalance({}) == 1);
    const auto lines = pipeline::report_lines({first, second});
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] ==
          "rank 0 on a: 8.0 s = extract 1.0 s + gram 2.0 s + fit 3.0 s + ceilings 0.5 s + wait 0.2 "
          "s + io 1.0 s + other 0.2 s");
    CHECK(lines[2] == "2 ranks; the busiest had 1.72 times the mean's work");
    CHECK(pipeline::report_lines({first}).size() == 1);
    const auto many = pipeline::report_lines(std::vector<RankTimes>(40, first));
    REQUIRE(many.size() == 18);
    CHECK(many[16] == "those of the other 24 ranks are in the journal");
    const auto json = nlohmann::json::parse(pipeline::times_json({first, second}));
    CHECK(json.at("kind") == "times");
    CHECK(json.at("ranks").size() == 2);
    CHECK(json.at("ranks").at(1).at("wait") == 6.75);
    CHECK(json.at("ranks").at(0).at("other") == 0.25);
}

TEST_CASE("calls of a watched group give what the group gives, and count as waiting") {
    test::on_ranks([](comm::Communicator& world) {
        StageClock clock;
        pipeline::WatchedCommunicator watched(world, clock);
        CHECK(watched.rank() == world.rank());
        CHECK(watched.size() == world.size());
        CHECK(&watched.underlying() == &world.underlying());
        std::vector<std::int64_t> counts{1};
        watched.sum(counts);
        CHECK(counts[0] == world.size());
        CHECK(watched.broadcast(std::to_string(watched.rank()), 0) == "0");
        CHECK(watched.all_gather("x").size() == static_cast<std::size_t>(world.size()));
        watched.barrier();
        CHECK(clock.seconds(Stage::wait) > 0);
        CHECK(clock.seconds(Stage::fit) == 0);
        const auto times = pipeline::gather_times(clock, world);
        REQUIRE(times.size() == static_cast<std::size_t>(world.size()));
        for (const auto& rank : times) {
            CHECK(rank.total > 0);
            CHECK(rank.stages.size() == pipeline::stage_count);
            CHECK(rank.other() >= 0);
        }
    });
}

TEST_CASE("what was written of times can be read again") {
    const RankTimes first{"a", {1, 2, 3, 4, 5, 6.25}, 30};
    const RankTimes second{"b", {0, 0, 3, 0, 27, 0}, 30};
    const auto ranks = pipeline::times_from(pipeline::times_json({first, second}));
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].stages == first.stages);
    CHECK(ranks[1].host == "b");
    CHECK(ranks[1].total == 30);
    CHECK(pipeline::times_from(R"({"kind":"score","key":"k"})").empty());
}

TEST_CASE("a run tells where its time went, one that has nothing to do does not") {
    test::PlannedRun planned;
    planned.score();
    const auto lines = test::journal_lines(planned.out(), "times");
    REQUIRE(lines.size() == 1);
    const auto rank = nlohmann::json::parse(lines[0]).at("ranks").at(0);
    double sum = 0;
    for (const char* stage : {"extract", "gram", "fit", "ceilings", "wait", "io", "other"})
        sum += rank.at(stage).get<double>();
    CHECK(sum == Approx(rank.at("total").get<double>()));
    CHECK(rank.at("extract") == 0);
    for (const char* stage : {"gram", "fit", "ceilings", "io"}) CHECK(rank.at(stage) > 0);
    planned.score();
    CHECK(test::journal_lines(planned.out(), "times").size() == 1);
}

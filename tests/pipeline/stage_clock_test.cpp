#include "pipeline/watch/stage_clock.hpp"

#include <chrono>

#include <catch2/catch.hpp>

using namespace ventral;
using pipeline::Stage;
using pipeline::StageClock;

namespace {

void work_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

}  // namespace

TEST_CASE("a stage inside another one stops the outer one's time") {
    using namespace std::chrono_literals;
    StageClock clock;
    work_for(2ms);
    {
        const StageClock::Timed fit(&clock, Stage::fit);
        work_for(10ms);
        {
            const StageClock::Timed io(&clock, Stage::io);
            work_for(20ms);
            CHECK(clock.seconds(Stage::io) >= 0.02);
        }
        work_for(10ms);
    }
    const double fit = clock.seconds(Stage::fit);
    const double io = clock.seconds(Stage::io);
    CHECK(fit >= 0.02);
    CHECK(io >= 0.02);
    CHECK(clock.seconds(Stage::gram) == 0);
    CHECK(clock.total() >= fit + io + 0.002);
    work_for(1ms);
    CHECK(clock.seconds(Stage::fit) == fit);
}

TEST_CASE("without a clock nothing is measured") {
    const StageClock::Timed time(nullptr, Stage::gram);
    CHECK(pipeline::name_of(Stage::gram) == "gram");
}

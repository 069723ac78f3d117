#include "pipeline/simulation/simulate_job.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using pipeline::simulate_job;
using pipeline::UnitStages;

TEST_CASE("one worker takes the sum of all stages") {
    const UnitStages unit{
        .extract = 10, .batches = 5, .gram = 4, .fold_groups = {3, 2}, .serial = 1};
    const auto outcome = simulate_job({unit, unit}, {.start_seconds = 7});
    CHECK(outcome.seconds == 47);
    CHECK(outcome.idle_share == 0);
}

TEST_CASE("two workers share batches, Gram and fold groups, but not the rest") {
    // 5 batches of 2: three rounds, 6. Gram 2. Groups 3 | 2, then 2 on the second: 4. Serial 1.
    const UnitStages unit{
        .extract = 10, .batches = 5, .gram = 4, .fold_groups = {3, 2, 2}, .serial = 1};
    for (const auto& [ranks, threads] : {std::pair<std::size_t, std::size_t>{1, 2}, {2, 1}}) {
        const auto outcome = simulate_job({unit}, {.ranks = ranks, .threads = threads});
        CHECK(outcome.seconds == 13);
        CHECK(outcome.idle_share == Approx(1 - 22 / 26.0));
    }
}

TEST_CASE("teams take whole units, the longest first") {
    const auto unit = [](double seconds) { return UnitStages{.gram = seconds, .fold_groups = {}}; };
    // 5 | 4, then 3 to the second (7), 2 to the first (7)
    CHECK(simulate_job({unit(2), unit(3), unit(5), unit(4)}, {.teams = 2}).seconds == 7);
}

TEST_CASE("a job without units only starts") {
    CHECK(simulate_job({}, {.teams = 2, .ranks = 2, .start_seconds = 3}).seconds == 3);
}

TEST_CASE("workers that slow each other down take longer, the more the more they are") {
    const UnitStages unit{
        .extract = 12, .batches = 6, .gram = 6, .fold_groups = {4, 4, 4}, .serial = 1};
    const pipeline::Slowdown slowdown{.workers = 3, .extract = 1.5, .gram = 2, .fit = 3};
    CHECK(simulate_job({unit}, {.slowdown = slowdown}).seconds == 31);
    // 12 x 1.25 / 2, 6 x 1.5 / 2, two rounds of 4 x 2, 1
    CHECK(simulate_job({unit}, {.ranks = 2, .slowdown = slowdown}).seconds == 7.5 + 4.5 + 16 + 1);
    CHECK(simulate_job({unit}, {.ranks = 3, .slowdown = slowdown}).seconds == 6 + 4 + 12 + 1);
    CHECK(simulate_job({unit}, {.ranks = 3, .slowdown = {}}).seconds == 4 + 2 + 4 + 1);
}

TEST_CASE("ceilings come before the units, each on one rank") {
    const UnitStages unit{.gram = 6, .fold_groups = {}};
    CHECK(simulate_job({unit}, {.ceilings = {3, 3, 3}}).seconds == 15);
    const auto shared = simulate_job({unit}, {.ranks = 2, .ceilings = {3, 3, 3}});
    CHECK(shared.seconds == 6 + 3);
    CHECK(shared.idle_share == Approx(1 - 15 / 18.0));
}

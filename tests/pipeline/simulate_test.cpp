#include "pipeline/simulation/simulate.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/simulation/simulated_grid.hpp"

using namespace ventral;
using pipeline::ArrayOutcome;
using pipeline::simulate_array;
using pipeline::SimulatedArray;
using pipeline::SimulatedUnit;

namespace {

double node_seconds(const ArrayOutcome& outcome) {
    return outcome.work + outcome.starting + outcome.waiting + outcome.lost + outcome.down +
           outcome.idle;
}

std::vector<SimulatedUnit> small_grid() {
    std::vector<SimulatedUnit> units;
    for (const double seconds : pipeline::log_normal_seconds(2000, 1.5, 600, 0))
        units.push_back({seconds, seconds * 1e6, seconds * 1e6});
    return units;
}

}  // namespace

TEST_CASE("two nodes work off three units, each a task, the longest first") {
    // Node 0: 5 + 60. Node 1: 5 + 40, then 5 + 30.
    const auto outcome =
        simulate_array({{30}, {60}, {40}}, {.nodes = 2, .shards = 3, .start_seconds = 5});
    CHECK(outcome.seconds == 80);
    CHECK(outcome.work == 130);
    CHECK(outcome.longest == 60);
    CHECK(outcome.starting == 15);
    CHECK(outcome.idle == 15);
    CHECK(pipeline::resource_bound(outcome, 2) == 65);
    CHECK(pipeline::resource_bound(outcome, 3) == 60);
}

TEST_CASE("a task with several units starts once") {
    const auto outcome =
        simulate_array({{30}, {60}, {40}}, {.nodes = 2, .shards = 2, .start_seconds = 5});
    CHECK(outcome.seconds == 75);  // 60 | 40 + 30
    CHECK(outcome.starting == 10);
}

TEST_CASE("nodes that read at once wait for each other") {
    // Both read 100 bytes at 5 a second till 20. Node 0 computes till 22, writes 50 at 10 a second
    // till 27. Node 1 computes till 40.
    const auto outcome = simulate_array(
        {{2, 100, 50}, {20, 100, 0}},
        {.nodes = 2, .shards = 2, .disk_bytes_per_second = 10, .node_bytes_per_second = 10});
    CHECK(outcome.seconds == 40);
    CHECK(outcome.waiting == 20);
    CHECK(outcome.work == 47);  // 10 + 2 + 5 and 10 + 20
    CHECK(outcome.longest == 30);
    CHECK(outcome.idle == 13);
}

TEST_CASE("what every task reads at its start is shared too") {
    const auto outcome = simulate_array({{2}, {2}}, {.nodes = 2,
                                                     .shards = 2,
                                                     .start_seconds = 1,
                                                     .start_bytes = 100,
                                                     .disk_bytes_per_second = 10,
                                                     .node_bytes_per_second = 10});
    CHECK(outcome.seconds == 23);
    CHECK(outcome.starting == 42);
    CHECK(outcome.waiting == 0);
}

TEST_CASE("units that run out of memory end early and write nothing") {
    const auto outcome = simulate_array({{100, 0, 1e9}, {100, 0, 1e9}}, {.out_of_memory = 1});
    CHECK(outcome.out_of_memory == 2);
    CHECK(outcome.seconds == outcome.work);
    CHECK(outcome.work < 200);
    CHECK(outcome.work > 0);
}

TEST_CASE("errors of the cost stay within their limit") {
    std::vector<SimulatedUnit> units(1000, {100});
    const auto outcome = simulate_array(units, {.cost_error = 0.3});
    CHECK(outcome.longest <= 130);
    CHECK(outcome.longest > 129);
    CHECK(outcome.work == Approx(100000).epsilon(0.03));  // five standard errors: 5 · 17.3 / √1000
}

TEST_CASE("a failure costs the unit in work, two minutes and the node's absence") {
    // One node, two units of an hour in one task. With some seed exactly one failure falls into the
    // second unit: it starts anew when the node is back, the first one is kept.
    SimulatedArray array{.start_seconds = 10, .failures_per_node_hour = 0.3, .down_seconds = 500};
    bool found = false;
    for (array.seed = 0; array.seed < 100 && !found; ++array.seed) {
        const auto outcome = simulate_array({{3600}, {3600}}, array);
        CHECK(node_seconds(outcome) == Approx(outcome.seconds));
        if (outcome.failures != 1 || outcome.repeated != 1) continue;
        CHECK(outcome.seconds == Approx(10 + 7200 + outcome.lost + 500 + 10));
        CHECK(outcome.down == Approx(500));
        CHECK(outcome.lost < 3600);
        found = true;
    }
    CHECK(found);
}

TEST_CASE("a task that lost its node goes on after two minutes on another") {
    // Node 1 is free from 1 s on. Whichever fails, the long unit is lost at most once here.
    SimulatedArray array{
        .nodes = 2, .shards = 2, .failures_per_node_hour = 0.3, .down_seconds = 1e6};
    bool found = false;
    for (array.seed = 0; array.seed < 100 && !found; ++array.seed) {
        const auto outcome = simulate_array({{3600}, {1}}, array);
        if (outcome.failures != 1 || outcome.repeated != 1) continue;
        CHECK(outcome.seconds == Approx(outcome.lost + 120 + 3600));
        found = true;
    }
    CHECK(found);
}

TEST_CASE("all seconds of all nodes are accounted for") {
    const SimulatedArray array{.nodes = 16,
                               .shards = 256,
                               .start_seconds = 30,
                               .start_bytes = 1e9,
                               .disk_bytes_per_second = 2e7,
                               .node_bytes_per_second = 1e7,
                               .cost_error = 0.3,
                               .out_of_memory = 0.05,
                               .failures_per_node_hour = 0.01,
                               .seed = 3};
    const auto outcome = simulate_array(small_grid(), array);
    CHECK(outcome.failures > 0);
    CHECK(outcome.waiting > 0);
    CHECK(node_seconds(outcome) == Approx(16 * outcome.seconds).epsilon(1e-9));
    CHECK(outcome.seconds >= pipeline::resource_bound(outcome, 16));
    const auto again = simulate_array(small_grid(), array);
    CHECK(again.seconds == outcome.seconds);
    CHECK(again.lost == outcome.lost);
}

TEST_CASE("a night of 500 models and 100 benchmarks takes little more than the best schedule") {
    std::vector<SimulatedUnit> units;
    for (const double seconds : pipeline::log_normal_seconds(50000, 1.5, 600, 0))
        units.push_back({seconds, seconds * 2.5e6, seconds * 2.5e6});
    SimulatedArray array{.start_seconds = 30,
                         .start_bytes = 50e9,
                         .disk_bytes_per_second = 20e9,
                         .node_bytes_per_second = 1e9,
                         .cost_error = 0.3,
                         .out_of_memory = 0.05,
                         .failures_per_node_hour = 0.001};
    for (const std::size_t nodes : {8, 64, 1024}) {
        array.nodes = nodes;
        array.shards = 16 * nodes;
        const auto outcome = simulate_array(units, array);
        CHECK(outcome.failures > 0);
        CHECK(pipeline::resource_bound(outcome, nodes) / outcome.seconds >= 0.9);
    }
}

TEST_CASE("nodes that fail before any unit can end are an error") {
    CHECK_THROWS_AS(
        simulate_array({{1}},
                       {.start_seconds = 1e6, .failures_per_node_hour = 60, .down_seconds = 1}),
        core::InputError);
    CHECK_THROWS_AS(simulate_array({{1e6}}, {.failures_per_node_hour = 60, .down_seconds = 1}),
                    core::InputError);
}

TEST_CASE("random costs have the mean and the spread that are asked for") {
    const auto seconds = pipeline::log_normal_seconds(20000, 1.5, 600, 0);
    double sum = 0;
    std::size_t below_median = 0, below_sigma = 0;
    const double median = 600 * 0.324652;  // mean · exp(-sigma² / 2)
    for (const double unit : seconds) {
        sum += unit;
        below_median += unit < median ? 1 : 0;
        below_sigma += unit < median * 4.481689 ? 1 : 0;  // exp(1.5)
    }
    CHECK(sum / 20000 == Approx(600));
    // Five standard errors of a share, and as much for the mean of the draws that was scaled away.
    CHECK(double(below_median) / 20000 == Approx(0.5).margin(0.04));
    CHECK(double(below_sigma) / 20000 == Approx(0.8413).margin(0.03));
}

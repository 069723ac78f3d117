#include "pipeline/outlook/unit_seconds.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using pipeline::UnitWork;

namespace {

/// One flop, byte or second each.
pipeline::Calibration unit_rates() {
    pipeline::Calibration rates;
    rates.together = {1, 1, 1, 1};
    rates.written_bytes = rates.read_bytes = rates.buffered_bytes = rates.process_seconds = 1;
    return rates;
}

}  // namespace

TEST_CASE("batches go in rounds, fold groups to one worker each") {
    UnitWork work;
    work.passes = {{10, 3, 1}};
    work.load_seconds = 5;
    work.image_seconds = 3;
    work.batch_seconds = 7;
    work.gram_flops = 60;
    work.fits = {40, 20, 8};
    work.fold_groups = 3;
    work.read_bytes = 2;
    work.written_bytes = 4;
    const auto alone = pipeline::unit_seconds(work, {1, 1, unit_rates()});
    // Loading, then 3 batches of 3⅓ images.
    CHECK(alone.extract == Approx(5 + 3 * 7 + 10 * 3));
    CHECK(alone.gram == 60);
    CHECK(alone.fit == 40 + 20 + 8);
    CHECK(alone.disk == 2 + 4);
    CHECK(alone.total() == Approx(56 + 60 + 68 + 6));
    const auto four = pipeline::unit_seconds(work, {2, 2, unit_rates()});
    CHECK(four.extract == Approx(5 + 7 + 10));
    CHECK(four.gram == 15);
    // Three workers have a fold group; each rank makes what its groups share.
    CHECK(four.fit == Approx((40 + 20) / 3.0 + 8 / 2.0));
    CHECK(four.disk == 6);
}

TEST_CASE("activations take the disk's time only as far as the network leaves it behind") {
    UnitWork work;
    work.passes = {{2, 2, 1}};
    work.batch_seconds = 10;
    work.written_bytes = 100;
    work.activation_bytes = 60;
    auto rates = unit_rates();
    rates.buffered_bytes = 4;
    // 40 of other files; 60 / 4 to hand over, and 60 in all, of which 20 + 15 pass meanwhile.
    CHECK(pipeline::unit_seconds(work, {1, 1, rates}).disk == Approx(40 + 15 + 25));
    CHECK(pipeline::unit_seconds(work, {1, 2, rates}).disk == Approx(40 + 7.5 + 60 - 10 - 7.5));
    work.batch_seconds = 30;
    CHECK(pipeline::unit_seconds(work, {1, 1, rates}).disk == Approx(40 + 15));
}

TEST_CASE("on another machine a pass takes its flops at the rate of convolutions") {
    UnitWork work;
    work.passes = {{2, 2, 1}};
    work.batch_seconds = 7;
    work.network_flops = 100;
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates(), true}).extract == 14);
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates(), false}).extract == 100);
    work.network_flops = 0;
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates(), false}).extract == 14);
}

TEST_CASE("a worker runs the trials of a batch one after the other, its images are read once") {
    UnitWork work;
    work.passes = {{10, 3, 4}};
    work.image_seconds = 3;
    work.batch_seconds = 7;
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates()}).extract == Approx(3 * 4 * 7 + 10 * 3));
    // Four workers have no more to do than three: one round of one batch each, in four trials.
    for (const std::size_t workers : {3, 4})
        CHECK(pipeline::unit_seconds(work, {1, workers, unit_rates()}).extract ==
              Approx(4 * 7 + 10));
    // Of 12 batches in 4 trials and of one more.
    work.network_flops = 1300;
    work.passes.push_back({2, 1, 1});
    CHECK(pipeline::unit_seconds(work, {1, 2, unit_rates(), false}).extract ==
          Approx(2 * (4 * 100 + 10) + (100 + 2 * 3)));
}

TEST_CASE("a network is tried once, several at a time") {
    config::RunRecord run;
    run.models.resize(5);
    run.models[4].builtin.emplace();
    pipeline::RunPlan plan;
    std::vector<UnitWork> work;
    // The third has no pass, so that the network is tried for its second unit.
    for (const std::size_t model : {0, 1, 2, 0, 2, 3, 4}) {
        plan.units.emplace_back().model = model;
        auto& unit = work.emplace_back();
        unit.load_seconds = 5;
        if (work.size() != 3) unit.passes = {{1, 1, 1}, {1, 1, 1}};
    }
    const auto seconds_of_trials = [&](std::size_t at_once) {
        pipeline::share_trials(run, plan, at_once, work);
        std::vector<double> seconds;
        for (const auto& unit : work)
            seconds.push_back(pipeline::unit_seconds(unit, {1, 1, unit_rates()}).extract -
                              static_cast<double>(unit.passes.size()) * 5);
        return seconds;
    };
    // Starting a process and loading: 6 s each of four networks.
    CHECK(seconds_of_trials(1) == std::vector<double>{6, 6, 0, 0, 6, 6, 0});
    CHECK(seconds_of_trials(2) == std::vector<double>{3, 3, 0, 0, 3, 3, 0});
    CHECK(seconds_of_trials(3) == std::vector<double>{3, 3, 0, 0, 3, 3, 0});
    CHECK(seconds_of_trials(8) == std::vector<double>{1.5, 1.5, 0, 0, 1.5, 1.5, 0});
}

TEST_CASE("a trial loads the network and shows it images in each layout that it compares") {
    UnitWork work;
    work.passes = {{8, 2, 1}};
    work.load_seconds = 5;
    work.batch_seconds = 8;
    const double of_passes = pipeline::unit_seconds(work, {1, 1, unit_rates()}).extract;
    CHECK(of_passes == 5 + 2 * 8);
    work.network_trials = 0.5;
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates()}).extract ==
          of_passes + 0.5 * (1 + 5 + 8 / 4.0));
    work.trial_loads = 2;
    work.trial_images = 4;
    CHECK(pipeline::unit_seconds(work, {1, 1, unit_rates()}).extract ==
          of_passes + 0.5 * (1 + 2 * 5 + 8));
}

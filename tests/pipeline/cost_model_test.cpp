#include "pipeline/outlook/cost_model.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "support/planned_run.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/small_run_in_time.hpp"

using namespace ventral;
using pipeline::Machine;
using pipeline::UnitWork;

namespace {

const pipeline::NodeSize large_node{1e9, 1, 1};

UnitWork work_of(const test::PlannedRun& planned) {
    const auto finished = planned.finished();
    auto checkpoints = planned.checkpoints();
    pipeline::RecordingsReader recordings(planned.run);
    const auto estimates =
        pipeline::estimate_units(planned.run, planned.plan, finished, large_node);
    return pipeline::unit_work(planned.plan.units.at(0), estimates.at(0),
                               {planned.run, planned.facts, finished, checkpoints, recordings});
}

struct NewWork {
    pipeline::UnitEstimate estimate;
    UnitWork work;
};

/// Of the first unit of a run that has left nothing.
NewWork new_work(const config::RunRecord& run) {
    const auto facts = pipeline::gather_facts(run);
    const auto plan = pipeline::make_plan(run, facts, {});
    const pipeline::Finished finished;
    pipeline::Checkpoints checkpoints;
    pipeline::RecordingsReader recordings(run);
    const auto estimate = pipeline::estimate_units(run, plan, finished, large_node).at(0);
    return {estimate, pipeline::unit_work(plan.units.at(0), estimate,
                                          {run, facts, finished, checkpoints, recordings})};
}

/// Grams of 40 rows; that of 30 features has these features beside it.
constexpr double gram_bytes = 2 * (40 * 41 / 2) * 8 + 40 * 30 * 8;
/// Ten folds of six neuroids, as fold groups and as the score.
constexpr double result_bytes = 2 * 10 * 6 * 8;

/// One flop, byte or second each.
pipeline::Calibration unit_rates() {
    pipeline::Calibration rates;
    rates.together = {1, 1, 1, 1};
    rates.written_bytes = rates.read_bytes = rates.buffered_bytes = rates.process_seconds = 1;
    return rates;
}

}  // namespace

TEST_CASE("a new unit costs its Grams, its fits, and the files of both") {
    const test::PlannedRun planned;
    const auto work = work_of(planned);
    CHECK(work.passes.empty());
    CHECK(work.network_flops == 0);
    CHECK(work.gram_flops == 40 * 41 * (30 + 90));
    CHECK(work.read_bytes == 40 * (30 + 90) * 4);
    CHECK(work.written_bytes == gram_bytes + 4 * result_bytes);
    CHECK(work.fold_groups == 4 * 2);
    CHECK(work.fits.products > 0);
    CHECK(work.flops() == work.gram_flops + work.fits.total());
}

TEST_CASE("a metric that looks at single features costs no Gram") {
    test::PlannedRun planned;
    for (auto& benchmark : planned.run.benchmarks) benchmark.metric.name = "neuron_to_neuron";
    planned.plan_again();
    const auto work = work_of(planned);
    CHECK(work.gram_flops == 0);
    CHECK(work.read_bytes == 40 * (30 + 90) * 4);
    CHECK(work.written_bytes == 4 * result_bytes);
    CHECK(work.fits.products > 0);
}

TEST_CASE("what is on disk is not paid again") {
    test::PlannedRun planned;
    const auto fits = work_of(planned).fits.products;
    planned.score();
    CHECK(work_of(planned).flops() == 0);
    CHECK(work_of(planned).read_bytes == 0);
    // As if it had been killed after one of the two groups of every score.
    test::drop_journal_lines(planned.out(), [](const std::string& line) {
        return line.find("\"kind\":\"score\"") != std::string::npos ||
               line.find("\"group\":1") != std::string::npos;
    });
    const auto work = work_of(planned);
    CHECK(work.gram_flops == 0);
    CHECK(work.read_bytes == gram_bytes);
    CHECK(work.written_bytes == 4 * result_bytes);
    CHECK(work.fold_groups == 4);
    CHECK(work.fits.products == Approx(fits / 2));
}

TEST_CASE("the network is paid for all images, up to the deepest layer that is wanted") {
    const test::TemporaryFolder folder;
    test::write_small_network(folder.path().string());
    auto run = test::small_network_run(folder.path().string());
    run.benchmarks = {test::small_benchmark("pls")};
    run.benchmarks[0].dataset = "images";
    const auto [estimate, work] = new_work(run);
    REQUIRE(work.passes.size() == 1);
    CHECK(work.images() == 18);
    CHECK(work.passes[0].batches == 3);
    CHECK(work.passes[0].trials == 1);
    CHECK(work.network_flops == 18 * estimate.network.value().flops);
    CHECK(work.trial_loads == 2);  // channels_last, the default
    CHECK(work.trial_images == 4);
    run.models[0].batch_size = 1;
    CHECK(new_work(run).work.trial_images == 2);
    run.models[0].memory_layout = models::MemoryLayout::contiguous;
    CHECK(new_work(run).work.trial_loads == 1);
    CHECK(new_work(run).work.trial_images == 1);
    CHECK(work.gram_flops == 18 * 19 * (27 + 26));
    // Activations, then two Grams; there are no recordings, so no fits.
    CHECK(work.written_bytes == 18 * (27 + 26) * 4 + 2 * (18 * 19 / 2) * 8);
    CHECK(work.fold_groups == 0);
    CHECK(work.read_bytes > 0);
}

TEST_CASE("a PCA of stored features costs its components, once") {
    test::PlannedRun planned;
    planned.run.models[0].pca = models::PcaRecord{10, "", planned.folder.file("photos.nc")};
    io::write_assembly(
        planned.folder.file("photos.nc"),
        core::take(test::small_features(), "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    planned.plan_again();
    const auto work = work_of(planned);
    // Of each layer with p features a Gram of twelve images with their eigenvectors, and the
    // products of forty stimuli with them. Ten components stand for their Gram themselves.
    const auto fit = [](double p) { return 12 * 13 * p + 9 * 12 * 12 * 12 + 2 * 40 * 12 * p; };
    CHECK(work.gram_flops == fit(30) + fit(90));
    CHECK(work.read_bytes == (40 + 12) * (30 + 90) * 4);
    CHECK(work.written_bytes == 2 * (40 * 10 + 40 * 10) * 8 + 4 * result_bytes);
    planned.score();
    std::filesystem::remove_all(planned.out() + "/journal");
    std::filesystem::remove_all(planned.out() + "/grams");
    const auto again = work_of(planned);
    CHECK(again.gram_flops == 0);
    CHECK(again.read_bytes == 2 * 40 * 10 * 8);
}

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

TEST_CASE("the trials of a benchmark are passes of each batch") {
    const test::TemporaryFolder folder;
    test::write_small_network(folder.path().string());
    auto run = test::small_network_run(folder.path().string());
    run.benchmarks = {test::small_benchmark("pls")};
    run.benchmarks[0].dataset = "images";
    run.benchmarks[0].number_of_trials = 5;
    run.benchmarks[0].require_variance = true;
    const auto [estimate, work] = new_work(run);
    REQUIRE(work.passes.size() == 1);
    CHECK(work.passes[0].batches == 3);
    CHECK(work.passes[0].trials == 5);
    CHECK(work.network_flops == 5 * 18 * estimate.network.value().flops);
}

TEST_CASE("features that change in time cost a Gram for each bin, or one over all bins") {
    test::PlannedRun planned;
    planned.run = test::small_run_in_time(planned.path());
    const auto still = work_of((planned.plan_again(), planned));
    CHECK(still.gram_flops == 40 * 41 * (30 + 90));
    io::write_assembly(planned.folder.file("features.nc"), test::small_features_in_time());
    planned.plan_again();
    const auto work = work_of(planned);
    // The ridge for each bin has three Grams of 40 rows; the other two metrics have one of 120, for
    // which the 30 features stand themselves.
    CHECK(work.gram_flops == 3 * 40 * 41 * (30 + 90) + 120 * 121 * 90);
    CHECK(work.read_bytes == 6 * 40 * (30 + 90) * 4);
    CHECK(work.fits.total() > still.fits.total());
    planned.score();
    std::filesystem::remove_all(planned.out() + "/journal");
    const auto again = work_of(planned);
    CHECK(again.gram_flops == 0);
    CHECK(again.fits.total() == work.fits.total());
}

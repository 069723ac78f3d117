#include "pipeline/outlook/unit_work.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "support/planned_run.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/small_run_in_time.hpp"

using namespace ventral;
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
    auto run = test::written_small_network_run(folder.path().string());
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
    CHECK(work.written_bytes == 24 * (27 + 26) * 4 + 2 * (18 * 19 / 2) * 8);
    CHECK(work.fold_groups == 0);
    CHECK(work.read_bytes > 0);
}

TEST_CASE("a PCA of stored features costs its components, once") {
    test::PlannedRun planned;
    planned.run.models[0].pca = models::PcaRecord{10, "", {planned.folder.file("photos.nc"), ""}};
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

TEST_CASE("the trials of a benchmark are passes of each batch") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
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

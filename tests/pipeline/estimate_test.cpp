#include "pipeline/estimate.hpp"

#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "pipeline/input_facts.hpp"
#include "support/small_network.hpp"
#include "support/small_run_in_time.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::NodeSize;

namespace {

const NodeSize large_node{1e9, 1, 1};

std::vector<pipeline::UnitEstimate> estimates(const config::RunRecord& run, const NodeSize& node,
                                              const pipeline::Finished& finished = {}) {
    const auto plan = pipeline::make_plan(run, pipeline::gather_facts(run), {});
    return pipeline::estimate_units(run, plan, finished, node);
}

struct SmallData {
    SmallData() : run((test::write_small_data(path()), test::small_run(path()))) {}
    std::string path() const { return folder.path().string(); }

    test::TemporaryFolder folder;
    config::RunRecord run;
};

}  // namespace

TEST_CASE("a unit of stored features needs its Gram, two slabs and two panels") {
    const SmallData small;
    const auto all = estimates(small.run, large_node);
    REQUIRE(all.size() == 1);
    const auto& unit = all[0];
    CHECK(unit.model == "stored");
    CHECK(unit.dataset == "small");
    CHECK(unit.stimuli == 40);
    REQUIRE(unit.layers.size() == 2);
    CHECK(unit.layers[1].features == 90);
    CHECK(unit.scores == 4);
    CHECK(unit.finished == 0);
    CHECK(unit.gram_bytes == 40 * 40 * 8);
    // Two slabs as they are read and two panels: rows of 90 numbers in whole cache lines and one
    // more, 90 means, four statistics of each row.
    CHECK(unit.slab_bytes == 2 * 40 * 90 * 4 + 2 * (40 * (96 + 8) + 90 + 4 * 40) * 8);
    CHECK(unit.activation_bytes == 0);
    // The recordings name the stimuli in another order: the Gram again, and the 30 features of the
    // narrow layer twice. A ridge of all folds has two times 40 · (40 + 2 · 6) doubles, five folds
    // have four times 40 · 6 each.
    CHECK(unit.fit_bytes == (40 * 40 + 2 * 40 * 30) * 8);
    CHECK(unit.fit_bytes_a_rank == (2 * 40 * 52 + 5 * 4 * 40 * 6) * 8);
    CHECK(unit.memory_bytes == unit.gram_bytes + unit.slab_bytes + unit.fit_bytes_a_rank);
    CHECK(unit.problem.empty());
}

TEST_CASE("features that change in time have a Gram over all bins of a fit") {
    const test::TemporaryFolder folder;
    auto run = test::small_run_in_time(folder.path().string());
    CHECK(estimates(run, large_node)[0].gram_rows == 40);
    io::write_assembly(folder.file("features.nc"), test::small_features_in_time());
    auto unit = estimates(run, large_node)[0];
    CHECK(unit.stimuli == 40);
    CHECK(unit.gram_rows == 3 * 40);
    CHECK(unit.gram_bytes == 120 * 120 * 8);
    CHECK(unit.layers[1].features == 90);
    CHECK(unit.problem.empty());
    // A fit to each bin alone needs no more than the Gram of one.
    run.benchmarks.resize(1);
    CHECK(estimates(run, large_node)[0].gram_rows == 40);
}

TEST_CASE("a bin that the features do not cover is a problem before the run") {
    const test::TemporaryFolder folder;
    const auto run = test::small_run_in_time(folder.path().string());
    io::write_assembly(folder.file("features.nc"),
                       core::take(test::small_features_in_time(), "time_bin", {0, 1, 2, 3}));
    CHECK_THAT(estimates(run, large_node)[0].problem,
               Catch::StartsWith("small-") && Catch::Contains("100 to 150 ms"));
}

TEST_CASE("a network's batches take memory on every rank, its activations disk") {
    const test::TemporaryFolder folder;
    test::write_small_network(folder.path().string());
    auto run = test::small_network_run(folder.path().string());
    run.benchmarks = {test::small_benchmark("pls")};
    run.benchmarks[0].dataset = "images";
    const auto all = estimates(run, {1e9, 3, 2});
    REQUIRE(all.size() == 1);
    const auto& unit = all[0];
    CHECK(unit.problem.empty());
    CHECK(unit.stimuli == 10);
    // Stages 6 and 7 have 27 and 26 units; beside the probe's worker there is one that has a batch
    // of four twice, and one such batch waits. No recordings, no fits.
    CHECK(unit.batch_bytes_a_rank == 3 * 4 * (27 + 26) * 4);
    CHECK(unit.fit_bytes_a_rank == 0);
    CHECK(unit.activation_bytes == 10 * (27 + 26) * 4);
    CHECK(unit.memory_bytes == unit.gram_bytes + std::max(unit.slab_bytes, unit.fit_bytes) +
                                   3 * unit.batch_bytes_a_rank);
}

TEST_CASE("a PCA needs its images' Gram and activations too") {
    const test::TemporaryFolder folder;
    test::write_small_network(folder.path().string());
    auto run = test::small_network_run(folder.path().string());
    run.benchmarks = {test::small_benchmark("pls")};
    run.benchmarks[0].dataset = "images";
    run.models[0].pca = models::PcaRecord{10, "images"};
    const auto unit = estimates(run, {1e9, 1, 1}).at(0);
    // Of ten images and 27 features: 144 doubles of Gram and sums, two panels of
    // 10 · (32 + 8) + 27 + 4 · 10, three matrices of 10 × 10, 25 rows of a slab.
    CHECK(unit.projection_bytes == (144 + 2 * 467 + 300 + 25 * 27) * 8);
    CHECK(unit.activation_bytes == 2 * 10 * (27 + 26) * 4);
    CHECK(unit.memory_bytes == unit.projection_bytes + unit.batch_bytes_a_rank);
    auto plan = pipeline::make_plan(run, pipeline::gather_facts(run), {});
    run.models[0].pca->components = 27;
    CHECK(pipeline::estimate_units(run, plan, {}, {1e9, 1, 1}).at(0).projection_bytes == 0);
}

TEST_CASE("what is finished is counted") {
    const SmallData small;
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    pipeline::Finished finished;
    finished.scores[plan.units.at(0).scores.at(2).key] = "scored";
    CHECK(estimates(small.run, large_node, finished).at(0).finished == 1);
}

TEST_CASE("what does not fit a node is a problem with both sizes") {
    const SmallData small;
    const auto unit = estimates(small.run, {183839, 1, 1}).at(0);
    // 12,800 bytes of Gram, 99,360 of slabs and panels, 71,680 of fits.
    CHECK_THAT(unit.problem, Catch::Contains("40 stimuli") && Catch::Contains("--threads"));
    CHECK(estimates(small.run, {183840, 1, 1}).at(0).problem.empty());
}

TEST_CASE("every rank holds the program") {
    const SmallData small;
    const auto alone = estimates(small.run, large_node).at(0);
    const auto unit = estimates(small.run, {1e9, 3, 1, [] { return 1e6; }}).at(0);
    CHECK(unit.program_bytes_a_rank == 1e6);
    CHECK(unit.features_bytes == 0);
    CHECK(unit.memory_bytes ==
          alone.gram_bytes + alone.slab_bytes + 3 * (1e6 + alone.fit_bytes_a_rank));
}

TEST_CASE("what cannot be probed is a problem, not the end") {
    const SmallData small;
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    std::filesystem::remove(small.folder.file("features.nc"));
    const auto all = pipeline::estimate_units(small.run, plan, {}, large_node);
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0].problem, Catch::Contains("features.nc"));
}

TEST_CASE("stored features are in memory once, however many ranks there are") {
    const SmallData small;
    double peak = 0;
    const auto unit = estimates(small.run, {1e9, 3, 1, [&peak] { return peak += 1000; }}).at(0);
    // The peak before the features are read, then after them, then for the program.
    CHECK(unit.features_bytes == 1000);
    CHECK(unit.program_bytes_a_rank == 2000);
    CHECK(unit.memory_bytes == unit.shared_bytes() + 1000 + 3 * unit.rank_bytes());
}

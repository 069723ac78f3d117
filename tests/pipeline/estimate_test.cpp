#include "pipeline/outlook/estimate.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "pipeline/estimates.hpp"
#include "pipeline/inputs/input_facts.hpp"
#include "pipeline/outlook/unit_work.hpp"
#include "support/planned_run.hpp"
#include "support/small_data.hpp"
#include "support/small_run_in_time.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::NodeSize;
using test::estimates;
using test::gram_scratch;
using test::large_node;
using test::SmallData;
using test::stage;

namespace {

/// Features without their narrow layer.
core::Assembly only_wide(const core::Assembly& features) {
    const auto layers = core::texts(features, "layer");
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < layers.size(); ++j)
        if (layers[j] == test::wide_layer) columns.push_back(j);
    return core::take(features, "neuroid", columns);
}

}  // namespace

TEST_CASE("a unit of stored features needs its Gram, two slabs and what that is built in") {
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
    CHECK(unit.activation_bytes == 0);
    // The Gram, two slabs as they are read, what it is built in. The columns are picked out of
    // those of both layers, a chunk that is there twice; of the file there are labels in memory.
    const auto& building = stage(unit, "Gram of wide");
    CHECK(building.shared == 40 * 40 * 8 + 2 * 40 * 90 * 4 + gram_scratch(40, 90) * 8);
    const double labels = stage(unit, "features of wide").first_rank;
    CHECK(labels > 120 * 8);
    CHECK(labels < 40 * 120 * 4);
    CHECK(building.first_rank == labels + 3 * 40 * 120 * 4);
    // The narrow layer's features are kept beside its Gram.
    CHECK(stage(unit, "Gram of narrow").shared ==
          40 * 40 * 8 + 40 * 30 * 8 + 2 * 40 * 30 * 4 + gram_scratch(40, 30) * 8);
    const auto& keeping = stage(unit, "Gram file of narrow");
    CHECK(keeping.shared == 40 * 40 * 8 + 40 * 30 * 8);
    CHECK(keeping.first_rank == labels + 40 * 41 / 2 * 8 + 2 * 40 * 30 * 8);
    // The recordings name the stimuli in another order: the Gram and the narrow layer's features
    // again.
    CHECK(stage(unit, "fits to narrow").shared == 2 * (40 * 40 + 40 * 30) * 8);
    CHECK(stage(unit, "fits to wide").shared == 2 * 40 * 40 * 8);
    // Two benchmarks' targets, their ten folds of forty rows each, the order of their neuroids, and
    // the labels of stimuli and neuroids.
    CHECK(building.a_rank == 2 * ((40 * 6 + 10 * 40 + 6) * 8 + (40 + 2 * 6) * sizeof(std::string)));
    CHECK(stage(unit, "fits to wide").a_rank > building.a_rank);
    CHECK(unit.problem.empty());
    double most = 0;
    for (const auto& each : unit.stages)
        most = std::max(most, each.shared + each.first_rank + each.a_rank);
    CHECK(unit.memory_bytes == most);
    CHECK(unit.rank_bytes == most);
}

TEST_CASE("features that change in time have a Gram over all bins of a fit") {
    const test::TemporaryFolder folder;
    auto run = test::small_run_in_time(folder.path().string());
    CHECK(estimates(run, large_node)[0].gram_rows == 40);
    io::write_assembly(folder.file("features.nc"), test::small_features_in_time());
    auto unit = estimates(run, large_node)[0];
    CHECK(unit.stimuli == 40);
    CHECK(unit.gram_rows == 3 * 40);
    // A copy of the targets for the fit to all bins, of both metrics, and one for each bin alone.
    const auto& keeping = stage(unit, "Gram file of narrow");
    CHECK(keeping.a_rank > 3 * 3 * 40 * 5 * 8);
    CHECK(unit.layers[1].features == 90);
    CHECK(unit.problem.empty());
    // A fit to each bin alone needs no more than the Gram of one.
    run.benchmarks.resize(1);
    CHECK(estimates(run, large_node)[0].gram_rows == 40);
}

TEST_CASE("a bin that the features do not cover is a problem before the run") {
    const test::TemporaryFolder folder;
    auto run = test::small_run_in_time(folder.path().string());
    REQUIRE(run.benchmarks.size() > 1);
    auto& last = run.benchmarks.back();
    last.identifier = run.benchmarks[0].identifier.substr(1);
    io::write_assembly(folder.file("features.nc"),
                       core::take(test::small_features_in_time(), "time_bin", {0, 1, 2, 3}));
    const auto unit = estimates(run, large_node)[0];
    CHECK_THAT(unit.problem, Catch::StartsWith("the scores of benchmarks 'small-") &&
                                 Catch::Contains("100 to 150 ms") &&
                                 Catch::Contains("'" + last.identifier + "'"));
    CHECK(unit.unusable.size() == run.benchmarks.size());
    CHECK_FALSE(unit.can_run);
}

TEST_CASE("a second score is planned with what freed blocks of the first leave") {
    SmallData small;
    small.run.benchmarks = {test::small_benchmark("pls")};
    const auto alone = estimates(small.run, large_node).at(0);
    small.run.benchmarks.push_back(small.run.benchmarks[0]);
    small.run.benchmarks[1].identifier = "small-pls-again";
    const auto both = estimates(small.run, large_node).at(0);
    // One thread takes the scores in turn: in work is as much as of one of them.
    const double in_work =
        stage(alone, "fits to wide").a_rank - stage(alone, "Gram of wide").a_rank;
    CHECK(in_work > 0);
    const double known = stage(both, "Gram of wide").a_rank + in_work;
    CHECK(stage(both, "fits to wide").a_rank == known + known / 16);
}

TEST_CASE("fits to single features hold a slab of them and no Gram") {
    SmallData small;
    small.run.benchmarks = {test::small_benchmark("neuron_to_neuron")};
    const auto unit = estimates(small.run, large_node).at(0);
    CHECK_THROWS_AS(stage(unit, "Gram of wide"), std::out_of_range);
    const auto& fits = stage(unit, "fits to wide");
    CHECK(fits.shared == 0);
    CHECK(fits.a_rank > 40 * 90 * 4);
    small.run.benchmarks.push_back(test::small_benchmark("pls"));
    CHECK(stage(estimates(small.run, large_node).at(0), "Gram of wide").shared > 0);
}

TEST_CASE("a PCA of stored features has both files in memory") {
    SmallData small;
    const auto plain = estimates(small.run, large_node).at(0);
    small.run.models[0].pca = models::PcaRecord{10, "", {small.folder.file("photos.nc"), ""}};
    io::write_assembly(
        small.folder.file("photos.nc"),
        core::take(test::small_features(), "presentation", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    const auto unit = estimates(small.run, large_node).at(0);
    CHECK(unit.problem.empty());
    CHECK(unit.fitting_rows == 12);
    CHECK(unit.activation_bytes == 2 * 40 * 10 * 8);
    const double stored = stage(plain, "features of wide").first_rank - 40 * 90 * 4;
    CHECK(stage(unit, "PCA").first_rank > stored + 12 * 120 * 4 + (40 + 12) * 90 * 4);
    CHECK(stage(unit, "Gram of wide").first_rank > stored + 40 * 10 * 8);
}

TEST_CASE("features that no PCA can be fitted to are a problem before the run") {
    SmallData small;
    small.run.models[0].pca = models::PcaRecord{2, "", {small.folder.file("photos.nc"), ""}};
    io::write_assembly(small.folder.file("photos.nc"),
                       core::take(test::small_features(), "neuroid", {0, 1, 2}));
    CHECK_THAT(estimates(small.run, large_node).at(0).problem,
               Catch::Contains("photos.nc: layer 'narrow' has 3 features, but 30"));
}

TEST_CASE("a layer that a file of stored features lacks costs its scores alone") {
    SmallData small;
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    const auto of_wide = only_wide(test::small_features());
    const auto check = [&](const std::string& file) {
        const auto unit = pipeline::estimate_units(small.run, plan, {}, large_node).at(0);
        CHECK_THAT(unit.problem, Catch::StartsWith("the scores of layer 'narrow' will fail: " +
                                                   small.folder.file(file) + ": "));
        CHECK(unit.can_run);
        REQUIRE(unit.layers.size() == 1);
        CHECK(unit.layers[0].features == 90);
        CHECK(stage(unit, "fits to wide").a_rank > 0);
        CHECK_THROWS_AS(stage(unit, "fits to narrow"), std::out_of_range);
        const pipeline::Finished finished;
        pipeline::Checkpoints checkpoints;
        pipeline::RecordingsReader recordings(small.run);
        const auto facts = pipeline::gather_facts(small.run);
        // Two scores with ten folds in two groups.
        CHECK(pipeline::unit_work(plan.units.at(0), unit,
                                  {small.run, facts, finished, checkpoints, recordings})
                  .fold_groups == 2 * 2);
    };
    small.run.models[0].pca = models::PcaRecord{10, "", {small.folder.file("photos.nc"), ""}};
    io::write_assembly(small.folder.file("photos.nc"), of_wide);
    check("photos.nc");
    small.run.models[0].pca.reset();
    io::write_assembly(small.folder.file("features.nc"), of_wide);
    check("features.nc");
}

TEST_CASE("a finished unit can run and needs nothing") {
    test::PlannedRun planned;
    planned.score();
    const auto unit =
        pipeline::estimate_units(planned.run, planned.plan, planned.finished(), NodeSize{1, 1, 1})
            .at(0);
    CHECK(unit.finished == unit.scores);
    CHECK(unit.can_run);
    CHECK(unit.problem.empty());
    CHECK(unit.stages.empty());
}

TEST_CASE("recordings that cannot be scored cost their scores alone") {
    SmallData small;
    REQUIRE(small.run.benchmarks.size() > 1);
    auto& broken = small.run.benchmarks[0];
    broken.metric.cross_validation.stratification_coordinate = "category";
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    const auto unit = pipeline::estimate_units(small.run, plan, {}, large_node).at(0);
    CHECK_THAT(unit.problem, Catch::StartsWith("the scores of benchmark '" + broken.identifier +
                                               "' will fail: ") &&
                                 Catch::Contains("no coordinate 'category'"));
    CHECK(unit.can_run);
    pipeline::Finished finished;
    for (const auto& score : plan.units[0].scores)
        if (score.benchmark == 0) finished.scores[score.key] = core::ScoreStatus::scored;
    CHECK(pipeline::estimate_units(small.run, plan, finished, large_node).at(0).problem.empty());
    for (auto& benchmark : small.run.benchmarks)
        benchmark.metric.cross_validation.stratification_coordinate = "category";
    const auto none = estimates(small.run, large_node).at(0);
    CHECK_FALSE(none.can_run);
    CHECK(none.problem == pipeline::unusable_text(none, small.run));
}

TEST_CASE("benchmarks whose scores fail for one reason are named together") {
    const SmallData small;
    REQUIRE(small.run.benchmarks.size() == 2);
    pipeline::UnitEstimate unit;
    CHECK(pipeline::unusable_text(unit, small.run).empty());
    unit.unusable = {{0, "is damaged"}, {1, "is damaged"}};
    CHECK(pipeline::unusable_text(unit, small.run) ==
          "the scores of benchmarks 'small-pls', 'small-ridge' will fail: is damaged");
    unit.unusable[1] = "is absent";
    CHECK(pipeline::unusable_text(unit, small.run) ==
          "the scores of benchmark 'small-ridge' will fail: is absent; "
          "the scores of benchmark 'small-pls' will fail: is damaged");
}

TEST_CASE("of many benchmarks whose scores fail for one reason the first are named") {
    SmallData small;
    small.run.benchmarks.assign(20, small.run.benchmarks.front());
    pipeline::UnitEstimate unit;
    for (std::size_t i = 0; i < small.run.benchmarks.size(); ++i) {
        small.run.benchmarks[i].identifier = "b" + std::to_string(i);
        unit.unusable[i] = "is damaged";
    }
    CHECK(pipeline::unusable_text(unit, small.run) ==
          "the scores of benchmarks 'b0', 'b1', 'b2', 'b3', 'b4', 'b5', … will fail: "
          "is damaged");
}

TEST_CASE("recordings of other stimuli than the features are a problem before the run") {
    SmallData small;
    std::vector<std::size_t> most;
    for (std::size_t i = 0; i < 160; ++i)
        if (i % 40 != 7) most.push_back(i);
    io::write_assembly(small.folder.file("recordings.nc"),
                       core::take(test::small_recordings(), "presentation", most));
    const auto unit = estimates(small.run, large_node).at(0);
    CHECK_THAT(unit.problem, Catch::Contains("will fail: " + small.folder.file("features.nc")) &&
                                 Catch::Contains("stimulus 's07' is in the features"));
    CHECK_FALSE(unit.can_run);
}

TEST_CASE("what is finished is counted") {
    const SmallData small;
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    pipeline::Finished finished;
    finished.scores[plan.units.at(0).scores.at(2).key] = core::ScoreStatus::scored;
    finished.scores[plan.units.at(0).scores.at(0).key] = core::ScoreStatus::failed;
    const auto estimate = estimates(small.run, large_node, finished).at(0);
    CHECK(estimate.finished == 2);
    CHECK(estimate.failed == 1);
}

TEST_CASE("what does not fit a node is a problem with both sizes and what would fit") {
    const SmallData small;
    const auto needed = estimates(small.run, large_node).at(0).memory_bytes;
    const auto enough = std::to_string(static_cast<long>(needed / (1 << 20)) + 1) + "MiB";
    CHECK(estimates(small.run, {needed, 1, 1}).at(0).problem.empty());
    CHECK(estimates(small.run, {needed, 1, 1}).at(0).can_run);
    CHECK(estimates(small.run, {needed, 1, 1}).at(0).needed_bytes == needed);
    CHECK_FALSE(estimates(small.run, {needed - 1, 1, 1}).at(0).can_run);
    CHECK_THAT(estimates(small.run, {needed - 1, 1, 1}).at(0).problem,
               Catch::StartsWith("needs ") && Catch::Contains("--memory " + enough));
    // Of few features the fits take most, each worker's its own.
    SmallData few;
    std::vector<std::size_t> ten(10);
    std::iota(ten.begin(), ten.end(), std::size_t{0});
    io::write_assembly(few.folder.file("features.nc"),
                       core::take(test::small_features(), "neuroid", ten));
    const auto of_one = estimates(few.run, large_node).at(0).memory_bytes;
    REQUIRE(estimates(few.run, {1e9, 1, 32}).at(0).memory_bytes > of_one);
    CHECK_THAT(estimates(few.run, {of_one, 1, 32}).at(0).problem,
               Catch::Contains("it fits with --threads"));
    NodeSize reserved{needed, 1, 1};
    reserved.room_to_start = needed + 1;
    CHECK_THAT(estimates(small.run, reserved).at(0).problem,
               Catch::Contains("for its ranks to start, with one rank"));
    CHECK_THAT(estimates(small.run, {needed, 2, 1}).at(0).problem,
               Catch::EndsWith("it fits with --ranks 1"));
}

TEST_CASE("every rank holds the program and the recordings") {
    const SmallData small;
    const auto alone = estimates(small.run, large_node).at(0);
    const auto unit = estimates(small.run, {1e9, 3, 1, [] { return 1e6; }}).at(0);
    CHECK(unit.program_bytes_a_rank == 1e6);
    const auto& stage = unit.largest_stage(3);
    CHECK(unit.memory_bytes == 3e6 + stage.shared + stage.first_rank + 3 * stage.a_rank);
    CHECK(unit.rank_bytes == alone.rank_bytes + 1e6);
}

TEST_CASE("several ranks keep blocks of a Gram in the fits after it") {
    const SmallData small;
    const auto alone = estimates(small.run, large_node).at(0);
    const auto several = estimates(small.run, {1e9, 3, 1}).at(0);
    const std::string gram = "Gram of wide";
    CHECK(stage(several, gram).shared == stage(alone, gram).shared);
    const std::string fits = "fits to narrow";
    CHECK(stage(several, fits).shared > stage(alone, fits).shared);
}

TEST_CASE("what cannot be probed is a problem, not the end") {
    const SmallData small;
    const auto plan = pipeline::make_plan(small.run, pipeline::gather_facts(small.run), {});
    std::filesystem::remove(small.folder.file("features.nc"));
    const auto all = pipeline::estimate_units(small.run, plan, {}, large_node);
    REQUIRE(all.size() == 1);
    CHECK_THAT(all[0].problem, Catch::Contains("features.nc"));
    CHECK_FALSE(all[0].can_run);
}

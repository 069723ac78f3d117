#include "pipeline/run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/journal/prepare_output.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/repeated_run.hpp"
#include "pipeline/run_plan.hpp"
#include "support/recorded_scores.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::RunOptions;
using test::add_other_model;
using test::SmallRun;

TEST_CASE("a run scores every layer on every benchmark and says so in the journal") {
    const SmallRun run;
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 0);
    CHECK(result.open == 0);
    CHECK_FALSE(result.interrupted);
    CHECK(result.recorded);
    CHECK_FALSE(result.only_ceilings);
    CHECK(pipeline::all_planned(run.record, *result.facts).size() == 4);
    const auto records = test::recorded_scores(run.out());
    REQUIRE(records.size() == 4);
    CHECK(records[0].layer == "narrow");
    CHECK(records[0].benchmark == "small-pls");
    CHECK(records[3].layer == "wide");
    for (const auto& record : records) {
        CHECK(record.status == core::ScoreStatus::scored);
        CHECK(record.model == "stored");
        CHECK(record.parent == "small");
        // The recordings are a feature of each layer and noise: partly predictable.
        CHECK(record.raw_value.value() > 0.1);
        CHECK(record.raw_value.value() < 1);
        // Signal variance 2/3, noise variance 1/12 of a repetition: 0.97 over four of them.
        CHECK(record.ceiling.value().value == Approx(0.97).margin(0.03));
        CHECK(record.value.value() ==
              record.raw_value.value() * record.raw_value.value() / record.ceiling->value);
        CHECK(record.raw_shape == std::vector<std::size_t>{10, test::small_neuroids});
        CHECK(record.undefined_neuroids == 1);
        CHECK(record.provenance.at("folds_by_rank") == "0:10");
    }
}

TEST_CASE("only the constant neuroid has no correlation") {
    const SmallRun run;
    run();
    const auto record = test::recorded_scores(run.out()).front();
    const auto raw = io::JournalArrays().read(run.out() + "/journal", record.raw.value()).value();
    for (std::size_t i = 0; i < raw.size(); ++i)
        CHECK(std::isnan(raw[i]) == (i % test::small_neuroids == 5));
}

TEST_CASE("a score that is NaN says why") {
    const SmallRun run;
    auto gaps = test::small_recordings();
    auto& values = std::get<std::vector<double>>(gaps.values);
    // Of stimulus 7 one repetition is left: the average has it, one half of a split never does.
    for (std::size_t repetition = 1; repetition < test::small_repetitions; ++repetition)
        for (std::size_t neuroid = 0; neuroid < test::small_neuroids; ++neuroid)
            values[(repetition * test::small_stimuli + 7) * test::small_neuroids + neuroid] =
                std::nan("");
    io::write_assembly(run.record.datasets.at("small").assemblies.at("repetitions").path, gaps);
    run();
    const auto record = test::recorded_scores(run.out()).front();
    CHECK(record.status == core::ScoreStatus::scored);
    CHECK(std::isnan(record.value.value()));
    CHECK(record.raw_value.value() > 0.1);
    CHECK_THAT(record.warnings.back(), Catch::StartsWith("the score is NaN (raw value 0.") &&
                                           Catch::EndsWith(", ceiling nan)"));
}

TEST_CASE("the number of threads changes no bit") {
    SmallRun run;
    run(1);
    const auto bits = test::score_bits(run.out());
    for (const std::size_t threads : {2, 5}) {
        run.out_name = "out" + std::to_string(threads);
        run(threads);
        CHECK(test::score_bits(run.out()) == bits);
    }
}

TEST_CASE("the number of ranks changes no bit") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        world.barrier();
        const auto record = test::small_run(folder);
        core::Workers workers(2);
        RunOptions options;
        options.out = folder + "/together";
        const auto result = pipeline::run(record, options, world, workers);
        CHECK(result.scored == 4);
        CHECK(result.recorded);
        if (world.rank() != 0) return;
        options.out = folder + "/alone";
        pipeline::run(record, options, *comm::make_serial(), workers);
        CHECK(test::score_bits(folder + "/together") == test::score_bits(folder + "/alone"));
        CHECK(test::recorded_scores(folder + "/together")[0].provenance.at("ranks") ==
              std::to_string(world.size()));
    });
}

TEST_CASE("shards together score everything once") {
    SmallRun run;
    add_other_model(run.record, run.folder.path().string());
    std::size_t scored = 0;
    for (std::size_t index = 0; index < 3; ++index) {
        run.options.shard = {index, 3};
        const auto result = run();
        scored += result.scored;
        const auto planned = pipeline::all_planned(run.record, *result.facts);
        const auto keys = pipeline::all_keys(run.record, *result.facts);
        REQUIRE(planned.size() == 8);
        REQUIRE(keys.size() == 8);
        for (const auto& score : planned) CHECK(keys.contains(score.key));
    }
    CHECK(scored == 8);
    CHECK(test::recorded_scores(run.out()).size() == 8);
}

TEST_CASE("concatenated layers are one score") {
    SmallRun run;
    run.record.layers = config::LayerChoice::listed;
    run.record.listed_layers["stored"] = {{"narrow", "wide"}};
    CHECK(run().scored == 2);
    const auto records = test::recorded_scores(run.out());
    CHECK(records.at(0).layer == "narrow+wide");
    CHECK(test::files_in(run.out() + "/grams").size() == 2);
}

TEST_CASE("a folder that cannot be written to is refused by name") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("taken")) << "";
    const auto world = comm::make_serial();
    CHECK_THROWS_WITH(pipeline::prepare_output(folder.file("taken"), *world),
                      Catch::Contains("taken"));
    pipeline::prepare_output(folder.file("new"), *world);
    CHECK(test::files_in(folder.file("new")).size() == 4);
}

TEST_CASE(
    "what a plan has estimated stands beside what the run measures, the latest of each unit") {
    SmallRun run;
    const auto unit =
        pipeline::make_plan(run.record, pipeline::gather_facts(run.record), {}).units.at(0).id;
    run();
    CHECK(test::recorded_scores(run.out()).at(0).memory.count("estimate") == 0);
    run.out_name = "planned";
    pipeline::RunJournal journal(run.out(), "plan", "");
    journal.estimate({"another unit", 1, 2});
    journal.estimate({unit, 3, 4});
    journal.flush();
    run();
    for (const auto& record : test::recorded_scores(run.out())) {
        CHECK(record.memory.at("estimate") == 3);
        CHECK(record.timing.at("estimate_of_unit") == 4);
        CHECK(record.timing.at("since_unit_began") >= record.timing.at("fit"));
    }
}

TEST_CASE("a run scores stored features on the components of the features that their PCA names") {
    SmallRun small;
    small.record.models[0].pca = models::PcaRecord{20, "", {small.folder.file("photos.nc"), ""}};
    io::write_assembly(small.folder.file("photos.nc"), test::small_features());
    CHECK(small().scored == 4);
    std::vector<double> projected, directly;
    for (const auto& record : test::recorded_scores(small.out())) {
        CHECK(record.provenance.count("projection") == 1);
        projected.push_back(record.raw_value.value());
    }
    const auto projections = test::files_in(small.out() + "/activations");
    CHECK(projections.size() == 2);
    // Somebody else may have projected them before.
    small.record.models[0].pca.reset();
    small.out_name = "directly";
    for (const auto& name : projections) {
        auto features = io::read_assembly(small.folder.file("out/activations/" + name));
        features.coordinates.push_back(core::coordinate(test::small_features(), "stimulus_id"));
        io::write_assembly(small.record.models[0].features.path, features);
        CHECK(small().scored == 2);
    }
    for (const auto& record : test::recorded_scores(small.out()))
        directly.push_back(record.raw_value.value());
    std::sort(projected.begin(), projected.end());
    std::sort(directly.begin(), directly.end());
    CHECK(projected == directly);
}

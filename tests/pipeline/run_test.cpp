#include "pipeline/run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <catch2/catch.hpp>

#include "config/run_record.hpp"
#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/journal/prepare_output.hpp"
#include "pipeline/repeated_run.hpp"
#include "pipeline/run_plan.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "support/memory_limit.hpp"
#include "support/recorded_scores.hpp"
#include "support/sanitized.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::RunOptions;
using test::add_other_model;
using test::scored;
using test::SmallRun;

namespace {

/// More than a bound of `room` leaves memory for: 32 MB of features.
void widen_other_model(const config::RunRecord& record) {
    constexpr std::size_t count = 200'000;
    auto features = test::small_features();
    features.dims[1].size = count;
    std::vector<float> values(test::small_stimuli * count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1009);
    features.values = std::move(values);
    features.coordinates[1].values = std::vector<std::string>(count, test::wide_layer);
    io::write_assembly(record.models[1].features.path, features);
}
constexpr std::size_t room = 24 << 20;

}  // namespace

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

TEST_CASE("a rerun computes and records nothing") {
    const SmallRun run;
    const auto first = run();
    const auto lines = test::read_journal(run.out() + "/journal").lines.size();
    const auto second = run();
    CHECK_FALSE(second.recorded);
    CHECK(second.scored == first.scored);
    CHECK(test::read_journal(run.out() + "/journal").lines.size() == lines);
}

TEST_CASE("a run that is to recompute scores everything again, to the same bits") {
    SmallRun run;
    run();
    run.options.resume.recompute = true;
    const auto again = run();
    CHECK(again.recorded);
    CHECK(again.scored == 4);
    const auto records = test::recorded_scores(run.out());
    REQUIRE(records.size() == 8);
    for (std::size_t i = 0; i < records.size(); i += 2) {
        CHECK(records[i].key == records[i + 1].key);
        CHECK(records[i].value == records[i + 1].value);
    }
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

TEST_CASE("what lacks memory fails with the bound in its record, until a run has more") {
    if (comm::under_mpiexec()) return;  // MPI wants memory at any time
    if (test::has_address_sanitizer) return;
    SmallRun run;
    add_other_model(run.record, run.folder.path().string());
    widen_other_model(run.record);
    run.record.models[1].candidate_layers = {test::wide_layer};
    run.options.memory_bound = {1e9, "the test", "give it more"};
    const auto limited = [&] {
        stats::take_blas_memory(4);  // never to be asked for in vain
        const test::MemoryLimit limit(room);
        return run();
    };
    const auto first = limited();
    CHECK(first.scored == 4);
    CHECK(first.failed == 2);
    for (const auto& record : test::recorded_scores(run.out())) {
        if (record.status != core::ScoreStatus::failed) continue;
        CHECK(record.model == "other");
        CHECK(record.failure->failure_class == core::FailureClass::out_of_memory);
        CHECK(record.memory.at("bound") == 1e9);
        CHECK_THAT(record.failure->reason,
                   Catch::StartsWith("out of memory (") &&
                       Catch::EndsWith(", the limit is the test) give it more"));
    }
    CHECK_FALSE(limited().recorded);
    run.options.memory_bound.bytes = 2e9;
    CHECK(run().scored == 6);
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

TEST_CASE("a layer that does not exist fails its own scores only, and near names are listed") {
    SmallRun run;
    run.record.layers = config::LayerChoice::listed;
    run.record.listed_layers["stored"] = {{"narow"}, {"wide"}, {"narrow", "narow"}};
    const auto result = run();
    CHECK(result.scored == 2);
    CHECK(result.failed == 4);
    std::size_t failed = 0;
    for (const auto& record : test::recorded_scores(run.out())) {
        if (record.layer == "wide") {
            CHECK(record.status == core::ScoreStatus::scored);
            continue;
        }
        ++failed;
        CHECK(record.status == core::ScoreStatus::failed);
        CHECK_THAT(record.failure.value().reason,
                   Catch::Contains("no layer 'narow'") && Catch::Contains("'narrow'"));
    }
    CHECK(failed == 4);
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

TEST_CASE("activations of a unit that is finished are discarded at the next start") {
    SmallRun run;
    run();
    const auto plan = pipeline::make_plan(run.record, pipeline::gather_facts(run.record), {});
    const auto fingerprint = pipeline::agreed_fingerprint(*comm::make_serial());
    const auto left = run.out() + "/activations/" +
                      pipeline::activations_prefix(plan.units.at(0).key, fingerprint) + "-1.h5";
    std::ofstream(left) << "activations";
    run();
    CHECK(std::filesystem::exists(left));
    run.options.kept.activations = pipeline::Keep::discard;
    run();
    CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("a run that finds all scored keeps the budget of activations too") {
    SmallRun run;
    run();
    const auto left = run.out() + "/activations/of-replaced-weights.h5";
    std::ofstream(left) << "activations";
    run.options.kept.activations_budget = 20;
    run();
    CHECK(std::filesystem::exists(left));
    run.options.kept.activations_budget = 10;
    run();
    CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("a failed score is not tried again unless asked for") {
    SmallRun run;
    run.record.benchmarks[0].metric.n_components = 31;  // of 30 train rows
    run();
    const auto again = run();
    CHECK_FALSE(again.recorded);
    CHECK(again.failed == 1);
    run.options.resume.retry_failed = true;
    CHECK(run().recorded);
    CHECK(test::journal_lines(run.out(), "failed").size() == 2);
}

TEST_CASE("features of other stimuli than were recorded fail, and the message says so") {
    const SmallRun run;
    auto features = test::small_features();
    std::get<std::vector<std::string>>(features.coordinates[0].values)[3] = "stranger";
    io::write_assembly(run.record.models[0].features.path, features);
    const auto result = run();
    CHECK(result.failed == 4);
    const auto record = test::recorded_scores(run.out()).at(0);
    CHECK_THAT(record.failure.value().reason,
               Catch::Contains("stimulus ids of the recordings and of the features differ"));
}

TEST_CASE("a missing features file fails the model's scores, not the run") {
    SmallRun run;
    run.record.models.push_back(run.record.models[0]);
    run.record.models[1].identifier = "lost";
    run.record.models[1].features.path = run.folder.file("lost.nc");
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 2);
    for (const auto& record : test::recorded_scores(run.out()))
        if (record.model == "lost")
            CHECK_THAT(record.failure.value().reason, Catch::Contains("lost.nc"));
}

TEST_CASE("a file that is lost again is recorded again, later than the scores in between") {
    SmallRun run;
    const auto features = run.record.models[0].features.path;
    const auto last_recorded = [&] {
        std::pair<std::string, std::string> last;  // when, and whether it was scored
        for (const auto& record : test::recorded_scores(run.out()))
            last = std::max(last, {record.provenance.at("recorded"), name_of(record.status)});
        return last.second;
    };
    for (const bool there : {false, true, false}) {
        run.record.models[0].features.path = there ? features : run.folder.file("lost.nc");
        run();
        CHECK(last_recorded() == (there ? "scored" : "failed"));
    }
}

TEST_CASE("of private data no value of a neuroid, no id and no reason reaches the disk") {
    SmallRun run;
    run.record.datasets["small"].access = benchmarks::Access::restricted;
    CHECK(run().scored == 4);
    const auto records = test::recorded_scores(run.out());
    REQUIRE(records.size() == 4);
    for (const auto& record : records) {
        CHECK(record.value.has_value());
        CHECK_FALSE(record.raw.has_value());
    }
    CHECK(test::journal_lines(run.out(), "folds").empty());
    CHECK(test::journal_lines(run.out(), "labels").empty());
    for (const auto& name : test::files_in(run.out() + "/journal"))
        CHECK(std::filesystem::path(name).extension() != ".raw");
    for (const char* secret : {"s07", "n3", "neuroid_id"})
        CHECK_FALSE(test::occurs_under(run.out(), secret));
}

TEST_CASE("what was scored while data were open is not told of private data") {
    SmallRun run;
    CHECK(run().scored == 4);
    const auto open = test::recorded_scores(run.out());
    run.record.datasets["small"].access = benchmarks::Access::restricted;
    CHECK(run().scored == 4);
    auto records = test::recorded_scores(run.out());
    const auto is_of_open = [&](const auto& record) {
        return std::any_of(open.begin(), open.end(),
                           [&](const auto& other) { return other.key == record.key; });
    };
    records.erase(std::remove_if(records.begin(), records.end(), is_of_open), records.end());
    REQUIRE(records.size() == open.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
        CHECK(records[i].value == open[i].value);
        CHECK_FALSE(records[i].raw.has_value());
    }
}

TEST_CASE("why private data cannot be scored is withheld") {
    SmallRun run;
    run.record.datasets["small"].access = benchmarks::Access::restricted;
    auto features = test::small_features();
    std::get<std::vector<std::string>>(features.coordinates[0].values)[3] = "stranger";
    io::write_assembly(run.record.models[0].features.path, features);
    CHECK(run().failed == 4);
    CHECK_THAT(test::recorded_scores(run.out()).at(0).failure.value().reason,
               Catch::Contains("withheld"));
    CHECK_FALSE(test::occurs_under(run.out(), "stranger"));
    CHECK_FALSE(test::occurs_under(run.out(), "s36"));
}

TEST_CASE("public data leave raw values and the labels of their neuroids") {
    const SmallRun run;
    run();
    CHECK(test::journal_lines(run.out(), "folds").size() == 8);
    const auto labels = test::journal_lines(run.out(), "labels");
    REQUIRE(labels.size() == 1);
    CHECK_THAT(labels[0], Catch::Contains(R"(["n0","n1","n2","n3","n4","n5"])"));
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

#include "pipeline/run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <catch2/catch.hpp>

#include "config/run_record.hpp"
#include "core/errors.hpp"
#include "io/netcdf_assembly.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/journal/prepare_output.hpp"
#include "stats/blas_kernels.hpp"
#include "support/memory_limit.hpp"
#include "support/recorded_scores.hpp"
#include "support/sanitized.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::RunOptions;

namespace {

/// A folder with the small data, and runs on it.
struct SmallRun {
    SmallRun() : record((test::write_small_data(folder.path().string()), record_of(folder))) {}

    static config::RunRecord record_of(const test::TemporaryFolder& folder) {
        return test::small_run(folder.path().string());
    }

    pipeline::RunResult operator()(std::size_t threads = 1) const {
        core::Workers workers(threads);
        auto wanted = options;
        wanted.out = out();
        return pipeline::run(record, wanted, *comm::make_serial(), workers);
    }

    std::string out() const { return folder.file(out_name); }

    test::TemporaryFolder folder;
    config::RunRecord record;
    RunOptions options;
    std::string out_name = "out";
};

/// Adds a model "other", whose features differ in one value from those of "stored".
void add_other_model(config::RunRecord& record, const std::string& folder) {
    record.models.push_back(record.models[0]);
    record.models[1].identifier = "other";
    record.models[1].features_file = folder + "/other.nc";
    auto features = test::small_features();
    std::get<std::vector<float>>(features.values)[0] += 1;
    io::write_assembly(record.models[1].features_file, features);
}

/// As if jobs with model "stored" in work had been killed.
void kill_jobs(const config::RunRecord& record, const std::string& out, int jobs, bool alone) {
    const auto plan = pipeline::make_plan(record, pipeline::gather_facts(record), {});
    for (const auto& unit : plan.units)
        for (int job = 0; job < jobs && unit.model == 0; ++job)
            pipeline::RunJournal(out, "killed", "here")
                .started({unit.id, "stored", "small", 1, 1, alone});
}

std::size_t scored(const std::string& out, const std::string& model) {
    std::size_t count = 0;
    for (const auto& record : test::recorded_scores(out))
        if (record.model == model && record.status == core::ScoreStatus::scored) ++count;
    return count;
}

/// More than a bound of `room` leaves memory for: 32 MB of features.
void widen_other_model(const config::RunRecord& record) {
    constexpr std::size_t count = 200'000;
    auto features = test::small_features();
    features.dims[1].size = count;
    std::vector<float> values(test::small_stimuli * count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 1009);
    features.values = std::move(values);
    features.coordinates[1].values = std::vector<std::string>(count, test::wide_layer);
    io::write_assembly(record.models[1].features_file, features);
}
constexpr std::size_t room = 24 << 20;

bool is_line(const std::string& line, const std::string& kind) {
    return line.find("\"kind\":\"" + kind + "\"") != std::string::npos;
}

}  // namespace

TEST_CASE("a run scores every layer on every benchmark and says so in the journal") {
    const SmallRun run;
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 0);
    CHECK(result.open == 0);
    CHECK_FALSE(result.interrupted);
    CHECK(result.recorded);
    CHECK(result.planned.size() == 4);
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

TEST_CASE("a rerun computes and records nothing") {
    const SmallRun run;
    const auto first = run();
    const auto lines = io::read_journal(run.out() + "/journal").lines.size();
    const auto second = run();
    CHECK_FALSE(second.recorded);
    CHECK(second.scored == first.scored);
    CHECK(second.planned.size() == first.planned.size());
    CHECK(io::read_journal(run.out() + "/journal").lines.size() == lines);
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

TEST_CASE("a killed run goes on from its fold groups, to the same bits") {
    const SmallRun run;
    run();
    const auto bits = test::score_bits(run.out());
    // As if it had been killed after one of the two groups of every score.
    test::drop_journal_lines(run.out(), [](const std::string& line) {
        return is_line(line, "score") ||
               (is_line(line, "folds") && line.find("\"group\":1") != std::string::npos);
    });
    REQUIRE(test::journal_lines(run.out(), "folds").size() == 4);
    CHECK(run().scored == 4);
    CHECK(test::journal_lines(run.out(), "folds").size() == 8);
    CHECK(test::score_bits(run.out()) == bits);
}

TEST_CASE("a run without time is interrupted, and the next one scores all to the same bits") {
    SmallRun run;
    run();
    const auto bits = test::score_bits(run.out());
    run.out_name = "stopped";
    run.options.max_seconds = 0;
    const auto stopped = run();
    CHECK(stopped.interrupted);
    CHECK_FALSE(stopped.recorded);
    CHECK(stopped.open == 4);
    CHECK(stopped.scored == 0);
    run.options.max_seconds.reset();
    CHECK(run().scored == 4);
    CHECK(test::score_bits(run.out()) == bits);
}

TEST_CASE("a unit that ended three jobs is run after all others, and says so") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto record = test::small_run(folder);
        RunOptions options;
        options.out = folder + "/out";
        if (world.rank() == 0) {
            test::write_small_data(folder);
            add_other_model(record, folder);
            kill_jobs(record, options.out, 3, false);
        } else {
            record.models.push_back(record.models[0]);
            record.models[1].identifier = "other";
            record.models[1].features_file = folder + "/other.nc";
        }
        world.barrier();
        core::Workers workers(1);
        const auto result = pipeline::run(record, options, world, workers);
        CHECK(result.scored == 8);
        if (world.rank() != 0) return;
        auto lines = test::journal_lines(options.out, "started");
        lines.erase(std::remove_if(lines.begin(), lines.end(),
                                   [](const auto& line) {
                                       return line.find("\"attempt\":1") != std::string::npos &&
                                              line.find("stored") != std::string::npos;
                                   }),
                    lines.end());
        REQUIRE(lines.size() == 2);
        CHECK_THAT(lines[0],
                   Catch::Contains(R"("model":"other")") && Catch::Contains(R"("alone":false)"));
        CHECK_THAT(lines[1], Catch::Contains(R"("model":"stored")") &&
                                 Catch::Contains(R"("attempt":4)") &&
                                 Catch::Contains(R"("alone":true)"));
        CHECK(test::journal_lines(options.out, "ended").size() == 2);
        for (const auto& name : test::files_in(options.out + "/journal"))
            CHECK(std::filesystem::path(name).extension() != ".trace");
    });
}

TEST_CASE("a unit that ends its jobs alone too is left out until it is to be tried again") {
    SmallRun run;
    add_other_model(run.record, run.folder.path().string());
    kill_jobs(run.record, run.out(), 3, true);
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 4);
    CHECK(scored(run.out(), "other") == 4);
    const auto failures = test::journal_lines(run.out(), "failed");
    REQUIRE(failures.size() == 4);
    for (const auto& line : failures)
        CHECK_THAT(line, Catch::Contains(R"("class":"crashed")") &&
                             Catch::Contains("'stored on small' has ended its job 3 times") &&
                             Catch::Contains("alone; it is left out until --retry-failed"));
    CHECK_FALSE(run().recorded);
    run.options.resume.retry_failed = true;
    CHECK(run().scored == 8);
    const auto started = test::journal_lines(run.out(), "started");
    CHECK(std::count_if(started.begin(), started.end(), [](const std::string& line) {
              return line.find(R"("attempt":4)") != std::string::npos &&
                     line.find(R"("alone":true)") != std::string::npos;
          }) == 1);
}

TEST_CASE("an interrupted unit is no death of it") {
    SmallRun run;
    run();
    test::drop_journal_lines(run.out(), [](const std::string&) { return true; });
    run.options.max_seconds = 0;
    for (int stop = 0; stop < 4; ++stop) CHECK(run().interrupted);
    run.options.max_seconds.reset();
    run();
    const auto started = test::journal_lines(run.out(), "started");
    for (const auto& line : started) CHECK_THAT(line, Catch::Contains(R"("alone":false)"));
}

TEST_CASE("traces that earlier runs have left go into the journal") {
    const SmallRun run;
    std::filesystem::create_directories(run.out() + "/journal");
    std::ofstream(run.out() + "/journal/job.0.trace") << "crashed SIGSEGV\n";
    run();
    CHECK_FALSE(std::filesystem::exists(run.out() + "/journal/job.0.trace"));
    const auto lines = test::journal_lines(run.out(), "trace");
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], Catch::Contains("job.0.journal") && Catch::Contains("crashed SIGSEGV"));
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

TEST_CASE("scores that cannot be computed again count as failed, and the old ones stay") {
    SmallRun run;
    run.record.models[0].pca = models::PcaRecord{20, "", run.folder.file("photos.nc")};
    io::write_assembly(run.folder.file("photos.nc"), test::small_features());
    CHECK(run().scored == 4);
    std::filesystem::remove_all(run.out() + "/grams");
    const auto path = run.out() + "/activations/" + test::files_in(run.out() + "/activations")[0];
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);  // where no projection can be written
    run.options.resume.recompute = true;
    const auto again = run();
    CHECK(again.scored == 2);
    CHECK(again.failed == 2);
    CHECK(test::journal_lines(run.out(), "failed").size() == 2);
    run.options.resume.recompute = false;
    CHECK(run().scored == 4);
}

TEST_CASE("failures of a job before it was put back into the queue count when it ends") {
    SmallRun run;
    run();
    auto failed = test::recorded_scores(run.out())[0];
    failed.status = core::ScoreStatus::failed;
    failed.failure = core::Failure{core::FailureClass::deterministic, "of no use"};
    setenv("SLURM_JOB_ID", "7", 1);
    setenv("SLURM_RESTART_COUNT", "1", 1);
    pipeline::RunJournal before(run.out(), "slurm7-r0", "here");
    before.score(failed, {});
    before.flush();
    run.options.resume.recompute = true;
    const auto again = run();
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
    CHECK(again.scored == 3);
    CHECK(again.failed == 1);
}

TEST_CASE("shards together score everything once") {
    SmallRun run;
    add_other_model(run.record, run.folder.path().string());
    std::size_t scored = 0;
    for (std::size_t index = 0; index < 3; ++index) {
        run.options.shard = {index, 3};
        const auto result = run();
        scored += result.scored;
        CHECK(result.planned.size() == 8);
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
    run.options.activations = pipeline::Keep::discard;
    run();
    CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("a run that finds all scored keeps the budget of activations too") {
    SmallRun run;
    run();
    const auto left = run.out() + "/activations/of-replaced-weights.h5";
    std::ofstream(left) << "activations";
    run.options.activations_budget = 20;
    run();
    CHECK(std::filesystem::exists(left));
    run.options.activations_budget = 10;
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
    io::write_assembly(run.record.models[0].features_file, features);
    const auto result = run();
    CHECK(result.failed == 4);
    const auto record = test::recorded_scores(run.out()).at(0);
    CHECK_THAT(
        record.failure.value().reason,
        Catch::Contains("stimulus ids of the model's features and of the recordings differ"));
}

TEST_CASE("a missing features file fails the model's scores, not the run") {
    SmallRun run;
    run.record.models.push_back(run.record.models[0]);
    run.record.models[1].identifier = "lost";
    run.record.models[1].features_file = run.folder.file("lost.nc");
    const auto result = run();
    CHECK(result.scored == 4);
    CHECK(result.failed == 2);
    for (const auto& record : test::recorded_scores(run.out()))
        if (record.model == "lost")
            CHECK_THAT(record.failure.value().reason, Catch::Contains("lost.nc"));
}

TEST_CASE("a file that is lost again is recorded again, later than the scores in between") {
    SmallRun run;
    const auto features = run.record.models[0].features_file;
    const auto last_recorded = [&] {
        std::pair<std::string, std::string> last;  // when, and whether it was scored
        for (const auto& record : test::recorded_scores(run.out()))
            last = std::max(last, {record.provenance.at("recorded"), name_of(record.status)});
        return last.second;
    };
    for (const bool there : {false, true, false}) {
        run.record.models[0].features_file = there ? features : run.folder.file("lost.nc");
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
    io::write_assembly(run.record.models[0].features_file, features);
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
    }
}

TEST_CASE("a run scores stored features on the components of the features that their PCA names") {
    SmallRun small;
    small.record.models[0].pca = models::PcaRecord{20, "", small.folder.file("photos.nc")};
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
        io::write_assembly(small.record.models[0].features_file, features);
        CHECK(small().scored == 2);
    }
    for (const auto& record : test::recorded_scores(small.out()))
        directly.push_back(record.raw_value.value());
    std::sort(projected.begin(), projected.end());
    std::sort(directly.begin(), directly.end());
    CHECK(projected == directly);
}

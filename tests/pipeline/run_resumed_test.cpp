#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>

#include "config/run_record.hpp"
#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/fingerprint.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/journal/run_journal.hpp"
#include "pipeline/repeated_run.hpp"
#include "pipeline/run.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::RunOptions;
using test::add_other_model;
using test::scored;
using test::SmallRun;

namespace {

/// As if jobs with model "stored" in work had been killed.
void kill_jobs(const config::RunRecord& record, const std::string& out, int jobs, bool alone) {
    const auto plan = pipeline::make_plan(record, pipeline::gather_facts(record), {});
    for (const auto& unit : plan.units)
        for (int job = 0; job < jobs && unit.model == 0; ++job)
            pipeline::RunJournal(out, "killed", "here")
                .started({unit.id, "stored", "small", 1, 1, alone});
}

bool is_line(const std::string& line, const std::string& kind) {
    return line.find("\"kind\":\"" + kind + "\"") != std::string::npos;
}

}  // namespace

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
            record.models[1].features.path = folder + "/other.nc";
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

TEST_CASE("scores that cannot be computed again count as failed, and the old ones stay") {
    SmallRun run;
    run.record.models[0].pca = models::PcaRecord{20, "", {run.folder.file("photos.nc"), ""}};
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

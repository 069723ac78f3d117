#include "pipeline/fit/ceilings.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <string_view>

#include <catch2/catch.hpp>

#include "io/input_file.hpp"
#include "io/journal/score_json.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "io/text/checked_text.hpp"
#include "metrics/ceilings.hpp"
#include "metrics/normalisation.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_data.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::CeilingOutcome;
using test::Team;

namespace {

/// The ceiling with the key "key" of the first benchmark of `run`, on every rank.
CeilingOutcome settle_key(const config::RunRecord& run, comm::Communicator& world,
                          const std::string& out) {
    Team team(world, out);
    pipeline::RecordingsReader recordings(run);
    const auto outcomes = pipeline::settle_ceilings({{0, "key"}}, recordings, world, team.context);
    REQUIRE(outcomes.size() == 1);
    return outcomes.at("key");
}

double value_of(const CeilingOutcome& outcome) {
    return std::get<core::CeilingValue>(outcome).value;
}

double expected_value() {
    core::Workers workers(1);
    return metrics::find_ceiling("internal_consistency")
        .compute(test::small_recordings(), workers)
        .value;
}

struct SmallData : test::SmallData {
    std::string file() const { return folder.file("ceilings/key.json"); }
    CeilingOutcome settle() const {
        std::filesystem::create_directories(folder.path() / "ceilings");
        return settle_key(run, *comm::make_serial(), path());
    }
};

}  // namespace

TEST_CASE("every rank has the ceilings that one of them computes") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) {
            test::write_small_data(folder);
            std::filesystem::create_directories(folder + "/ceilings");
        }
        world.barrier();
        auto run = test::small_run(folder);
        run.benchmarks[1].select = {{"region", {"IT"}, {}, {}}};
        Team team(world, folder);
        pipeline::RecordingsReader recordings(run);
        const auto outcomes =
            pipeline::settle_ceilings({{0, "all"}, {1, "IT"}}, recordings, world, team.context);
        REQUIRE(outcomes.size() == 2);
        CHECK(value_of(outcomes.at("all")) == expected_value());
        CHECK(value_of(outcomes.at("IT")) != expected_value());
        CHECK(std::get<core::CeilingValue>(outcomes.at("all")).error.value() > 0);
        CHECK(test::files_in(folder + "/ceilings").size() == 2);
    });
}

TEST_CASE("a ceiling that ends jobs is computed alone, then left out by name until it is on disk") {
    const SmallData small;
    const auto serial = comm::make_serial();
    Team team(*serial, small.path());
    std::filesystem::create_directories(small.folder.path() / "ceilings");
    pipeline::UnitHistories histories;
    team.context.histories = &histories;
    pipeline::RecordingsReader recordings(small.run);
    const auto settled = [&] {
        return pipeline::settle_ceilings({{0, "key"}}, recordings, *serial, team.context).at("key");
    };
    histories["key"].deaths = "3 times since its last progress (3 × SIGSEGV), last on host n1";
    histories["key"].left_out = true;
    const auto failure = std::get<core::Failure>(settled());
    CHECK(failure.failure_class == core::FailureClass::crashed);
    histories["key"].death = core::FailureClass::timeout;
    CHECK(std::get<core::Failure>(settled()).failure_class == core::FailureClass::timeout);
    CHECK(failure.reason == "the ceiling internal_consistency of small-pls has ended its job " +
                                histories["key"].deaths + "; it is left out until --retry-failed");
    histories["key"].left_out = false;
    histories["key"].alone = true;
    CHECK(value_of(settled()) == expected_value());
    histories["key"].left_out = true;
    CHECK(value_of(settled()) == expected_value());
}

TEST_CASE("a ceiling in which nothing moves is noticed, also if it is computed alone") {
    const bool alone = GENERATE(false, true);
    const SmallData small;
    const auto serial = comm::make_serial();
    Team team(*serial, small.path());
    std::filesystem::create_directories(small.folder.path() / "ceilings");
    pipeline::StageClock clock;
    std::promise<std::string> told;
    auto stage = told.get_future();
    std::atomic<bool> is_told = false;
    const auto end = [&](double, std::string_view in) {
        if (!is_told.exchange(true)) told.set_value(std::string(in));
    };
    pipeline::HangWatch watch({0.002, [] { return false; }, end}, *serial, team.workers, clock);
    team.context.watch = &watch;
    team.context.clock = &clock;
    team.context.unit_timeout = 0.02;
    pipeline::RecordingsReader recordings(small.run);
    recordings.check_files([&](const std::string&) {
        CHECK(stage.wait_for(std::chrono::minutes(1)) == std::future_status::ready);
    });
    pipeline::UnitHistories histories;
    histories["key"].alone = alone;
    team.context.histories = &histories;
    const auto outcomes =
        pipeline::settle_ceilings({{0, "key"}}, recordings, *serial, team.context);
    CHECK(stage.get() == "ceilings");
    CHECK(value_of(outcomes.at("key")) == expected_value());
}

TEST_CASE("a ceiling on disk is not computed again") {
    const SmallData small;
    CHECK(value_of(small.settle()) == expected_value());
    io::write_checked_text(small.file(), R"({"value": 0.5, "error": 0.25})");
    const auto stored = std::get<core::CeilingValue>(small.settle());
    CHECK(stored.value == 0.5);
    CHECK(stored.error == 0.25);
}

TEST_CASE("ceilings that are whole on disk or left out are not missing") {
    const SmallData small;
    const std::vector<pipeline::PlannedCeiling> planned = {{0, "key"}, {1, "other"}};
    CHECK(pipeline::ceilings_to_do(planned, small.path()).compute.size() == 2);
    small.settle();
    const auto missing = pipeline::ceilings_to_do(planned, small.path()).compute;
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].key == "other");
    CHECK(pipeline::ceilings_to_do(planned, "").compute.size() == 2);
    pipeline::UnitHistories histories;
    histories["other"].alone = true;
    CHECK(pipeline::ceilings_to_do(planned, small.path(), histories).compute.size() == 1);
    histories["other"].left_out = histories["key"].left_out = true;
    CHECK(pipeline::ceilings_to_do(planned, small.path(), histories).compute.empty());
    std::ofstream(small.file(), std::ios::trunc) << "{";
    CHECK(pipeline::ceilings_to_do(planned, small.path()).compute.size() == 2);
}

TEST_CASE("a stored ceiling has the bits that were computed") {
    const SmallData small;
    const auto computed = std::get<core::CeilingValue>(small.settle());
    std::filesystem::remove(small.folder.file("recordings.nc"));
    const auto stored = std::get<core::CeilingValue>(small.settle());
    CHECK(stored.value == computed.value);
    CHECK(stored.error == computed.error);
}

TEST_CASE("neuroids' ceilings come along where they are wanted, from disk as computed") {
    const SmallData small;
    std::filesystem::create_directories(small.folder.path() / "ceilings");
    pipeline::PlannedCeiling planned{0, "key"};
    CHECK_FALSE(std::get<core::CeilingValue>(small.settle()).neuroids.has_value());
    planned.neuroids = true;
    const auto wanted = [&] {
        const auto serial = comm::make_serial();
        Team team(*serial, small.path());
        pipeline::RecordingsReader recordings(small.run);
        const auto outcomes =
            pipeline::settle_ceilings({planned}, recordings, *serial, team.context);
        return io::to_json(std::get<core::CeilingValue>(outcomes.at("key")).neuroids.value());
    };
    const auto stored = wanted();
    std::filesystem::remove(small.file());
    const auto computed = wanted();
    CHECK(computed == stored);
    core::Workers workers(1);
    const auto score =
        metrics::find_ceiling("internal_consistency").compute(test::small_recordings(), workers);
    CHECK(computed == io::to_json(metrics::mean_over_splits(score.raw)));
    CHECK(io::to_json(*pipeline::ceiling_with_neuroids(small.path(), "key")->neuroids) == stored);

    // A file without them, as of private data, is not enough.
    io::write_checked_text(small.file(), R"({"key": "key", "value": 0.5, "error": 0.25})");
    CHECK_FALSE(pipeline::ceiling_with_neuroids(small.path(), "key").has_value());
    CHECK(pipeline::ceilings_to_do({planned}, small.path()).compute.size() == 1);
    CHECK(wanted() == computed);
}

TEST_CASE("a damaged ceiling is computed again") {
    const SmallData small;
    for (const char* damage : {"", "{", "[]", "{}", "7", R"({"value": 0.5, "error": 0.25})"}) {
        small.settle();
        std::ofstream(small.file(), std::ios::trunc) << damage;
        CHECK(value_of(small.settle()) == expected_value());
    }
}

TEST_CASE("a ceiling of another form is computed again") {
    const SmallData small;
    for (const char* form : {"7", "{}", R"({"value": {}})", "{",
                             R"({"key": "another", "value": 0.5, "error": 0.25})"}) {
        small.settle();
        io::write_checked_text(small.file(), form);
        CHECK(pipeline::ceilings_to_do({{0, "key"}}, small.path()).compute.size() == 1);
        CHECK(value_of(small.settle()) == expected_value());
    }
}

TEST_CASE("a ceiling that cannot be computed is a failure with the reason, and leaves no file") {
    SmallData small;
    auto& assemblies = small.run.datasets["small"].assemblies;
    assemblies = {{"target", assemblies.at("repetitions")}};
    const auto failure = std::get<core::Failure>(small.settle());
    CHECK_THAT(failure.reason, Catch::Contains("no repetitions"));
    CHECK_FALSE(std::filesystem::exists(small.file()));
}

TEST_CASE("repetitions that a ceiling cannot be computed from are named by their file") {
    const SmallData small;
    auto repetitions = test::small_recordings();
    std::erase_if(repetitions.coordinates,
                  [](const auto& each) { return each.name == "repetition"; });
    const auto file = small.folder.file("recordings.nc");
    io::write_assembly(file, repetitions);
    const auto failure = std::get<core::Failure>(small.settle());
    CHECK_THAT(failure.reason, Catch::StartsWith(file + ": ") && Catch::Contains("'repetition'"));
}

TEST_CASE("a private ceiling shows its value and nothing of single neuroids") {
    SmallData small;
    small.run.datasets["small"].access = benchmarks::Access::restricted;
    CHECK(value_of(small.settle()) == expected_value());
    CHECK_THAT(io::read_file(small.file()), !Catch::Contains("neuroid_id"));
    CHECK(value_of(small.settle()) == expected_value());
    std::filesystem::remove(small.file());
    std::filesystem::remove(small.folder.file("recordings.nc"));
    CHECK_THAT(std::get<core::Failure>(small.settle()).reason, Catch::Contains("withheld"));
}

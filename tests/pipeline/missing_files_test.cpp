#include <filesystem>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/repeated_run.hpp"

using namespace ventral;

namespace {

const std::filesystem::path features = "features.nc";
const std::filesystem::path recordings = "recordings.nc";

void remove(const test::SmallRun& run, const std::filesystem::path& name) {
    REQUIRE(std::filesystem::remove(run.folder.path() / name));
}

}  // namespace

TEST_CASE("a run none of whose files is there ends before it writes anything") {
    test::SmallRun run;
    remove(run, features);
    remove(run, recordings);
    // A folder that is there is no file: a disk may not be mounted there.
    run.record.datasets.begin()->second.stimuli.folder = run.folder.path().string();
    CHECK_THROWS_WITH(run(), Catch::Contains("none of the files that it needs is there, the first "
                                             "is " +
                                             run.folder.file(features.string())));
    CHECK_FALSE(std::filesystem::exists(run.out()));
}

TEST_CASE("a run of which some files are there records what it cannot score") {
    const test::SmallRun run;
    remove(run, features);
    CHECK(run().failed == 2);
    const auto records = test::recorded_scores(run.out());
    REQUIRE(records.size() == 2);
    CHECK_THAT(records[0].failure->reason, Catch::Contains("features.nc"));
}

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
    CHECK_THROWS_WITH(run(), Catch::Contains("none of the files that it needs is there") &&
                                 Catch::Contains("without --data or VENTRAL_DATA"));
    run.record.data_folder = "/elsewhere";
    CHECK_THROWS_WITH(run(), Catch::Contains("sought in /elsewhere, which --data"));
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

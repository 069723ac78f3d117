#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/repeated_run.hpp"
#include "support/recorded_scores.hpp"

using namespace ventral;
using test::SmallRun;

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

#include "pipeline/demo/demo_configs.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "config/benchmark_file.hpp"
#include "config/dataset_file.hpp"
#include "config/model_file.hpp"
#include "models/builtin/demo_network.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

std::string write(const test::TemporaryFolder& folder, const std::string& text) {
    const auto path = folder.file("record.toml");
    std::ofstream(path) << text;
    return path;
}

}  // namespace

TEST_CASE("the demo's regions ascend through the network, from its first to its last layer") {
    const auto layers = models::demo_layers();
    const auto regions = pipeline::demo_regions();
    REQUIRE(regions.size() == 4);
    CHECK(regions.front().layer == layers.front());
    CHECK(regions.back().layer == layers.back());
    for (std::size_t i = 1; i < regions.size(); ++i) CHECK(regions[i - 1].layer < regions[i].layer);
}

TEST_CASE("a demo model's file is a valid record that names the weights beside it") {
    const test::TemporaryFolder folder;
    const std::string digest(64, 'a');
    const auto path = write(folder, pipeline::demo_model_toml({"demo_designed", digest}));
    const auto record = config::read_model_file(path, {}).record;
    CHECK(record.identifier == "demo_designed");
    CHECK(record.weights_file == folder.file("demo_designed.ts"));
    CHECK(record.weights_sha256 == digest);
    CHECK(record.candidate_layers == models::demo_layers());
    for (const auto& region : pipeline::demo_regions())
        CHECK(record.regions.at(region.name) == std::vector<std::string>{region.layer});
}

TEST_CASE("the demo's dataset file is a valid record with both checksums") {
    const test::TemporaryFolder folder;
    const std::string stimuli(40, '1'), recordings(40, '2');
    const auto path = write(folder, pipeline::demo_dataset_toml({stimuli, recordings}));
    const auto record = config::read_dataset_file(path, {}).record;
    CHECK(record.stimuli.csv.sha1 == stimuli);
    CHECK(record.assemblies.at("repetitions").sha1 == recordings);
}

TEST_CASE("the demo's benchmarks are a valid family of regions by metrics") {
    const test::TemporaryFolder folder;
    const auto path = write(folder, pipeline::demo_benchmarks_toml());
    const auto members = config::read_benchmark_file(path);
    REQUIRE(members.size() == 8);
    for (const auto& member : members) {
        const auto& record = member.record;
        CHECK(record.identifier == "demo-" + record.region + "-" + record.metric.name);
        REQUIRE(record.select.size() == 1);
        CHECK(record.select[0].values == std::vector<std::string>{record.region});
        CHECK_FALSE(record.metric.cross_validation.stratification_coordinate.has_value());
        REQUIRE(record.expected.size() == 1);
        CHECK(record.expected[0].value == pipeline::demo_ceiling);
    }
}

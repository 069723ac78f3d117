#include "pipeline/inputs/dataset_facts.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "core/hash.hpp"
#include "pipeline/gathered_data.hpp"
#include "support/small_network.hpp"

using namespace ventral;
using pipeline::gather_facts;
using test::GatheredData;

TEST_CASE("the facts of a dataset are the hashes of its files") {
    const GatheredData small;
    const auto facts = small.dataset();
    CHECK(!facts.failure);
    CHECK(facts.assembly_keys ==
          std::map<std::string, std::string>{
              {"repetitions", core::sha256_of_file(small.folder.file("recordings.nc"))}});
    CHECK(facts.stimuli_key.empty());
    CHECK(facts.stimuli == 0);
}

TEST_CASE("another variable of the recordings is other recordings") {
    GatheredData small;
    const auto facts = small.dataset();
    small.run.datasets["small"].assemblies["repetitions"].variable = "rates";
    CHECK(small.dataset().assembly_keys != facts.assembly_keys);
}

TEST_CASE("a stated checksum must be the file's") {
    GatheredData small;
    auto& file = small.run.datasets["small"].assemblies["repetitions"];
    file.sha1 = core::sha1_of_file(file.path);
    CHECK(small.dataset_failure().empty());
    file.sha1 = std::string(40, '0');
    CHECK_THAT(small.dataset_failure(), Catch::StartsWith(file.path) &&
                                            Catch::Contains("the checksum is wrong") &&
                                            Catch::Contains(core::sha1_of_file(file.path)));
}

TEST_CASE("which of the private images is missing is withheld") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    std::filesystem::remove(folder.file("i3.png"));
    CHECK_THAT(gather_facts(run).datasets.at("images").failure.value().reason,
               Catch::Contains("i3"));
    run.datasets["images"].access = benchmarks::Access::restricted;
    const auto failure = gather_facts(run).datasets.at("images").failure.value().reason;
    CHECK_THAT(failure, Catch::Contains("withheld") && !Catch::Contains("i3"));
}

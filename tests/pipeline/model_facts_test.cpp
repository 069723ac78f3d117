#include "pipeline/inputs/model_facts.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "io/activations/activations_file.hpp"
#include "io/activations/activations_writer.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/gathered_data.hpp"
#include "pipeline/inputs/keys.hpp"
#include "support/small_network.hpp"
#include "support/small_run_in_time.hpp"

using namespace ventral;
using pipeline::gather_facts;
using test::GatheredData;
using test::is_remembered;

namespace {

pipeline::ModelFacts facts_of_network(const config::RunRecord& run,
                                      const pipeline::NetworkTrial& trial = {}) {
    return gather_facts(run, trial).models.at({"network", ""});
}

}  // namespace

TEST_CASE("the facts of stored features are their hash, size and layers") {
    const GatheredData small;
    const auto facts = small.model();
    const auto file = small.folder.file("features.nc");
    CHECK(!facts.failure);
    CHECK(facts.content_key ==
          pipeline::model_key(small.run.models[0], core::sha256_of_file(file)));
    CHECK(facts.weight_bytes == static_cast<double>(std::filesystem::file_size(file)));
    CHECK(facts.layers == std::vector<std::string>{"narrow", "wide"});
    CHECK_FALSE(facts.in_time);
    io::write_assembly(file, test::small_features_in_time());
    CHECK(small.model().in_time);
}

TEST_CASE("the facts of a PCA of stored features are the file that it is fitted on and its rows") {
    GatheredData small;
    const auto photos = small.folder.file("photos.nc");
    small.run.models[0].pca = models::PcaRecord{10, "", {photos, ""}};
    small.run.models[0].origin = small.folder.file("stored.toml");
    CHECK_THAT(small.model_failure(),
               Catch::StartsWith(photos + ": ") &&
                   Catch::Contains("it is sought beside " + small.run.models[0].origin));
    io::write_assembly(photos, core::take(test::small_features(), "presentation", {3, 4}));
    const auto facts = small.known_facts().models.at({"stored", ""});
    CHECK(!facts.failure);
    CHECK(facts.fitting_key == core::sha256_of_file(photos));
    CHECK(facts.fitting_rows == 2);
    const auto again = small.known_facts();
    CHECK(is_remembered(again, photos));
    CHECK(again.models.at({"stored", ""}).fitting_key == facts.fitting_key);
    CHECK(again.models.at({"stored", ""}).fitting_rows == 2);
    small.run.models[0].pca->features.variable = "data";
    CHECK(small.known_facts().models.at({"stored", ""}).fitting_key != facts.fitting_key);
}

TEST_CASE("activations that are not what was written are a failure of their model") {
    GatheredData small;
    const auto path = small.folder.file("activations.h5");
    {
        const auto serial = comm::make_serial();
        io::ActivationsHeader header;
        header.layers = {{"conv", {3}}};
        header.stimuli.stimulus_ids = {"s", "t"};
        io::ActivationsWriter writer(path, *serial, header);
        writer.write_rows(0, 0, std::vector<float>{1, 2, 3, 4, 5, 1234.5F});
        writer.finish();
    }
    CHECK(io::is_activations_file(path));
    CHECK_FALSE(io::is_activations_file(small.folder.file("features.nc")));
    small.run.models[0].features.path = path;
    CHECK(small.model().layers == std::vector<std::string>{"conv"});
    CHECK(!small.known_facts().models.at({"stored", ""}).failure);
    CHECK(is_remembered(small.known_facts(), path));
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        const float value = 1234.5F;
        const auto place = bytes.find({reinterpret_cast<const char*>(&value), sizeof value});
        REQUIRE(place != std::string::npos);
        file.seekp(static_cast<std::streamoff>(place));
        file.put('\1');
    }
    CHECK_THAT(small.model_failure(), Catch::StartsWith(path + ": ") &&
                                          Catch::Contains("checksum of layer 'conv' is wrong"));
    // What was remembered is of the file as it was.
    CHECK_THAT(small.known_facts().models.at({"stored", ""}).failure.value().reason,
               Catch::Contains("checksum of layer 'conv' is wrong"));
}

TEST_CASE("the facts of a built-in network need no file") {
    GatheredData small;
    auto& model = small.run.models[0];
    model.features.path.clear();
    model.builtin = models::Builtin::pixels;
    model.preprocessing.emplace();
    CHECK(small.model().layers.empty());
    small.run.layers = config::LayerChoice::all;
    const auto facts = small.model();
    CHECK(!facts.failure);
    CHECK(facts.layers == std::vector<std::string>{"pixels", "logits"});
    CHECK(facts.content_key ==
          pipeline::model_key(model, models::content_hash(models::Builtin::pixels)));
    model.builtin = models::Builtin::hmax;
    CHECK(small.model().content_key != facts.content_key);
}

TEST_CASE("a network's layers are looked up only where the run asks for all") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    auto facts = gather_facts(run);
    CHECK(facts.models.at({"network", ""}).layers.empty());
    CHECK(facts.datasets.at("images").stimuli == test::network_stimuli);
    CHECK_FALSE(facts.datasets.at("images").stimuli_key.empty());
    run.layers = config::LayerChoice::all;
    auto layers = models::demo_layers();
    layers.push_back("logits");
    CHECK(facts_of_network(run).layers == layers);
    run.models[0].weights_sha256 = std::string(64, '0');
    CHECK_THAT(facts_of_network(run).failure.value().reason,
               Catch::Contains("the checksum is wrong"));
}

TEST_CASE("a network whose layers are known is neither loaded nor tried again for them") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    run.layers = config::LayerChoice::all;
    std::size_t tried = 0;
    const auto trial = [&](const auto& networks) {
        tried += networks.size();
        return std::map<std::string, std::string>();
    };
    const auto in_a_minute = [] {
        return std::chrono::system_clock::now() + std::chrono::minutes(1);
    };
    const auto facts = [&](pipeline::Tried which) {
        return gather_facts(
            run, trial, {folder.file("hashes.json"), pipeline::HashCache::Trust::yes, in_a_minute},
            which);
    };
    const auto layers = facts(pipeline::Tried::unknown).models.at({"network", ""}).layers;
    CHECK(tried == 1);
    CHECK(layers.back() == "logits");
    CHECK(facts(pipeline::Tried::unknown).models.at({"network", ""}).layers == layers);
    CHECK(tried == 1);
    facts(pipeline::Tried::all);
    CHECK(tried == 2);
    // Another file is another network.
    std::ofstream(run.models[0].weights_file, std::ios::app) << "torn";
    facts(pipeline::Tried::unknown);
    CHECK(tried == 3);
}

TEST_CASE(
    "a network that crashes where it is tried is a failure of its model, stored features are not "
    "tried") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    std::vector<std::string> tried;
    const auto crash = [&](const std::vector<models::ModelRecord>& networks) {
        for (const auto& network : networks) tried.push_back(network.identifier);
        return std::map<std::string, std::string>{{"network", "network.ts: crashes"}};
    };
    CHECK(facts_of_network(run, crash).failure.value().reason == "network.ts: crashes");
    CHECK(tried == std::vector<std::string>{"network"});
    tried.clear();
    const GatheredData stored;
    CHECK(!gather_facts(stored.run, crash).models.at({"stored", ""}).failure);
    CHECK(tried.empty());
    // What is known to be damaged need not be told how it crashes.
    run.models[0].weights_sha256 = std::string(64, '0');
    CHECK_THAT(facts_of_network(run, crash).failure.value().reason,
               Catch::Contains("the checksum is wrong"));
}

TEST_CASE("networks that cannot be tried are failures of their models alone") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    const GatheredData small;
    run.models.push_back(small.run.models[0]);
    const auto facts =
        pipeline::gather_facts(run, [](const auto& networks) -> std::map<std::string, std::string> {
            CHECK(networks.size() == 1);
            throw core::TransientError("network.ts: cannot be tried");
        });
    CHECK(facts.models.at({"network", ""}).failure.value().reason == "network.ts: cannot be tried");
    CHECK(facts.models.at({"network", ""}).failure.value().failure_class ==
          core::FailureClass::transient);
    CHECK(!facts.models.at({"stored", ""}).failure);
    CHECK(!facts.datasets.at("images").failure);
}

TEST_CASE("a device that is not there is a failure of its model, before the network is loaded") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    run.models[0].device = "cpu";
    CHECK(facts_of_network(run).device == "cpu");
    run.models[0].device = "cuda";
    if (models::visible_gpus().count > 0) return;
    CHECK_THAT(facts_of_network(run).failure.value().reason,
               Catch::StartsWith("network.toml: device = \"cuda\" is not available"));
}

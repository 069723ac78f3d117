#include "pipeline/inputs/input_facts.hpp"

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
#include "io/text/stimulus_csv.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/inputs/input_truth.hpp"
#include "pipeline/inputs/keys.hpp"
#include "support/small_data.hpp"
#include "support/small_network.hpp"
#include "support/small_run_in_time.hpp"
#include "support/team.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::gather_facts;

namespace {

struct SmallData : test::SmallData {
    std::string model_failure() const {
        return gather_facts(run).models.at({"stored", ""}).failure.value_or(core::Failure{}).reason;
    }
    std::string dataset_failure() const {
        return gather_facts(run).datasets.at("small").failure.value_or(core::Failure{}).reason;
    }

    /// As they are a minute later, with what earlier calls have left.
    pipeline::InputFacts known_facts() const {
        const auto in_a_minute = [] {
            return std::chrono::system_clock::now() + std::chrono::minutes(1);
        };
        return gather_facts(run, {}, {hashes, pipeline::HashCache::Trust::yes, in_a_minute});
    }

    std::string hashes = folder.file("hashes.json");
};

bool is_remembered(const pipeline::InputFacts& facts, const std::string& path) {
    return facts.files.at(path).state.empty();
}

}  // namespace

TEST_CASE("only a file within the folder of data is one that it has moved") {
    CHECK_THAT(pipeline::where_sought("/x/d/f.nc", "m.toml", "/x/d/"), Catch::Contains("/x/d/"));
    CHECK(pipeline::where_sought("/x/d2/f.nc", "m.toml", "/x/d").empty());
    CHECK(pipeline::where_sought("/y/f.nc", "m.toml", "d").empty());
}

TEST_CASE("the facts of stored features are their hash, size and layers") {
    const SmallData small;
    const auto facts = gather_facts(small.run).models.at({"stored", ""});
    const auto file = small.folder.file("features.nc");
    CHECK(!facts.failure);
    CHECK(facts.content_key ==
          pipeline::model_key(small.run.models[0], core::sha256_of_file(file)));
    CHECK(facts.weight_bytes == static_cast<double>(std::filesystem::file_size(file)));
    CHECK(facts.layers == std::vector<std::string>{"narrow", "wide"});
    CHECK_FALSE(facts.in_time);
    io::write_assembly(file, test::small_features_in_time());
    CHECK(gather_facts(small.run).models.at({"stored", ""}).in_time);
}

TEST_CASE("features by dataset have facts each") {
    SmallData small;
    auto& models = small.run.models;
    models.push_back(models[0]);
    models[0].dataset = "small";
    models[1].dataset = "other";
    models[1].problem = "stored.toml: 'features' has no file for dataset 'other'";
    auto& namesake = models.emplace_back();
    namesake.identifier = "stored on small";
    namesake.problem = "an identifier may not contain blanks";
    const auto facts = gather_facts(small.run);
    CHECK(facts.models.size() == 3);
    CHECK(!facts.of(models[0]).failure);
    CHECK(facts.of(models[1]).failure.value().reason == models[1].problem);
    CHECK(facts.of(models[2]).failure.value().reason == models[2].problem);
}

TEST_CASE("the facts of a PCA of stored features are the file that it is fitted on and its rows") {
    SmallData small;
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
    SmallData small;
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
    CHECK(gather_facts(small.run).models.at({"stored", ""}).layers ==
          std::vector<std::string>{"conv"});
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

namespace {

/// A run whose dataset has images, and features that were extracted from them.
struct ExtractedData : SmallData {
    ExtractedData() {
        images() = test::written_small_network_run(path()).datasets.at("images");
        run.models[0].features.path = file;
    }
    benchmarks::DatasetRecord& images() { return run.datasets["images"]; }

    void extract(const std::vector<double>& degrees) const {
        const auto serial = comm::make_serial();
        const auto& record = run.datasets.at("images").stimuli;
        io::ActivationsHeader header;
        header.layers = {{"conv", {1}}};
        header.stimuli = io::read_stimulus_set({"images", record.csv.path, record.folder, 8});
        header.stimuli.visual_degrees = degrees;
        io::ActivationsWriter writer(file, *serial, header);
        writer.write_rows(0, 0, std::vector<float>(header.stimuli.stimulus_ids.size()));
        writer.finish();
    }

    std::map<std::string, std::string> other_stimuli() const {
        const auto facts = known_facts().models.at({"stored", ""});
        CHECK(!facts.failure);
        return facts.other_stimuli;
    }

    std::string file = folder.file("activations.h5");
};

}  // namespace

TEST_CASE("features of images that were shown at other degrees do not go with a dataset") {
    ExtractedData data;
    data.extract(std::vector<double>(test::network_stimuli, 4));
    data.images().stimuli.visual_degrees = 4;
    CHECK(data.other_stimuli().empty());
    data.images().stimuli.visual_degrees = 8;
    for (int start = 0; start < 2; ++start)
        CHECK_THAT(data.other_stimuli().at("images"),
                   Catch::StartsWith(data.file + ": ") && Catch::Contains("--degrees 8"));
    std::filesystem::remove(data.images().stimuli.csv.path);
    CHECK(data.other_stimuli().empty());
}

TEST_CASE("features that do not say their degrees are let pass") {
    ExtractedData data;
    data.extract({});
    CHECK(data.other_stimuli().empty());
}

TEST_CASE("what an earlier start has read is remembered, with the same facts") {
    const SmallData small;
    const auto first = small.known_facts();
    const auto second = small.known_facts();
    CHECK(first.files.size() == 2);
    CHECK(second.files.size() == 2);
    for (const auto* name : {"features.nc", "recordings.nc"}) {
        const auto path = small.folder.file(name);
        CHECK_FALSE(is_remembered(first, path));
        CHECK(first.files.at(path).state == pipeline::state_of({path}));
        CHECK(is_remembered(second, path));
        CHECK(second.files.at(path).hash == core::sha256_of_file(path));
    }
    const auto& model = second.models.at({"stored", ""});
    CHECK(model.content_key == first.models.at({"stored", ""}).content_key);
    CHECK(model.layers == std::vector<std::string>{"narrow", "wide"});
    CHECK(second.datasets.at("small").assembly_keys == first.datasets.at("small").assembly_keys);
}

TEST_CASE("what was remembered is checked before it is used, and forgotten if it is wrong") {
    const SmallData small;
    small.known_facts();
    auto facts = small.known_facts();
    const auto features = small.folder.file("features.nc");
    const auto recordings = small.folder.file("recordings.nc");
    facts.files.at(recordings).hash = "the hash of something else";
    int signs_of_life = 0;
    pipeline::InputTruth truth(facts, small.hashes, [&] { ++signs_of_life; });
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life > 0);
    CHECK_NOTHROW(truth.require_file(small.folder.file("never seen")));
    CHECK(std::filesystem::exists(small.hashes));
    CHECK_THROWS_AS(truth.require_file(recordings), core::TransientError);
    CHECK_THROWS_WITH(truth.require_file(recordings),
                      Catch::Contains(recordings + ": is not what it was"));
    CHECK_FALSE(std::filesystem::exists(small.hashes));
    CHECK_FALSE(is_remembered(small.known_facts(), recordings));
}

TEST_CASE("what was read when the run began is read again only if it has changed since") {
    const SmallData small;
    const auto facts = small.known_facts();
    const auto features = small.folder.file("features.nc");
    const auto recordings = small.folder.file("recordings.nc");
    int signs_of_life = 0;
    pipeline::InputTruth truth(facts, small.hashes, [&] { ++signs_of_life; });
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life == 0);
    std::filesystem::last_write_time(features, std::filesystem::file_time_type::clock::now());
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life > 0);
    signs_of_life = 0;
    CHECK_NOTHROW(truth.require_file(features));
    CHECK(signs_of_life == 0);
    std::filesystem::copy_file(features, recordings,
                               std::filesystem::copy_options::overwrite_existing);
    CHECK_THROWS_WITH(truth.require_file(recordings),
                      Catch::Contains(recordings + ": is not what it was"));
    std::filesystem::remove(features);
    CHECK_THROWS_AS(truth.require_file(features), core::TransientError);
    CHECK_THROWS_WITH(truth.require_file(features),
                      Catch::StartsWith(features) && Catch::Contains("when the run began"));
}

TEST_CASE("the facts of a built-in network need no file") {
    SmallData small;
    auto& model = small.run.models[0];
    model.features.path.clear();
    model.builtin = models::Builtin::pixels;
    model.preprocessing.emplace();
    CHECK(gather_facts(small.run).models.at({"stored", ""}).layers.empty());
    small.run.layers = config::LayerChoice::all;
    const auto facts = gather_facts(small.run).models.at({"stored", ""});
    CHECK(!facts.failure);
    CHECK(facts.layers == std::vector<std::string>{"pixels", "logits"});
    CHECK(facts.content_key ==
          pipeline::model_key(model, models::content_hash(models::Builtin::pixels)));
    model.builtin = models::Builtin::hmax;
    CHECK(gather_facts(small.run).models.at({"stored", ""}).content_key != facts.content_key);
}

TEST_CASE("the facts of a dataset are the hashes of its files") {
    const SmallData small;
    const auto facts = gather_facts(small.run).datasets.at("small");
    CHECK(!facts.failure);
    CHECK(facts.assembly_keys ==
          std::map<std::string, std::string>{
              {"repetitions", core::sha256_of_file(small.folder.file("recordings.nc"))}});
    CHECK(facts.stimuli_key.empty());
    CHECK(facts.stimuli == 0);
}

TEST_CASE("another variable of the recordings is other recordings") {
    SmallData small;
    const auto facts = gather_facts(small.run).datasets.at("small");
    small.run.datasets["small"].assemblies["repetitions"].variable = "rates";
    CHECK(gather_facts(small.run).datasets.at("small").assembly_keys != facts.assembly_keys);
}

TEST_CASE("a missing or damaged file is a failure of its model or dataset alone") {
    const SmallData small;
    std::ofstream(small.folder.file("features.nc"), std::ios::trunc) << "torn";
    CHECK_THAT(small.model_failure(), Catch::StartsWith(small.folder.file("features.nc")));
    CHECK(gather_facts(small.run).models.at({"stored", ""}).weight_bytes == 4);  // "torn"
    CHECK(small.dataset_failure().empty());
    std::filesystem::remove(small.folder.file("recordings.nc"));
    CHECK_THAT(small.dataset_failure(), Catch::StartsWith(small.folder.file("recordings.nc")));
}

TEST_CASE("of a missing file it is told that --data has said where it is") {
    SmallData small;
    small.run.data_folder = small.path();
    std::filesystem::remove(small.folder.file("features.nc"));
    std::filesystem::remove(small.folder.file("recordings.nc"));
    const auto place =
        "--data (or VENTRAL_DATA) has put the folder " + small.path() + " in place of that of ";
    const std::string cure = ": put the file there, or state an absolute path";
    CHECK_THAT(small.model_failure(), Catch::EndsWith(place + "stored.toml" + cure));
    CHECK_THAT(small.dataset_failure(), Catch::EndsWith(place + "dataset.toml" + cure));
    small.run.data_folder = small.folder.file("elsewhere");  // the TOML file gives the whole path
    CHECK_THAT(small.model_failure(), !Catch::Contains("--data"));
    small.run.data_folder.clear();
    small.run.models[0].origin = small.folder.file("stored.toml");
    CHECK_THAT(small.model_failure(),
               Catch::Contains("is sought beside " + small.run.models[0].origin + " (--data or"));
    std::ofstream(small.folder.file("features.nc")) << "torn";
    small.run.data_folder = small.path();
    CHECK_THAT(small.model_failure(), !Catch::Contains("--data"));
}

TEST_CASE("a stated checksum must be the file's") {
    SmallData small;
    auto& file = small.run.datasets["small"].assemblies["repetitions"];
    file.sha1 = core::sha1_of_file(file.path);
    CHECK(small.dataset_failure().empty());
    file.sha1 = std::string(40, '0');
    CHECK_THAT(small.dataset_failure(), Catch::StartsWith(file.path) &&
                                            Catch::Contains("the checksum is wrong") &&
                                            Catch::Contains(core::sha1_of_file(file.path)));
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
    CHECK(gather_facts(run).models.at({"network", ""}).layers == layers);
    run.models[0].weights_sha256 = std::string(64, '0');
    CHECK_THAT(gather_facts(run).models.at({"network", ""}).failure.value().reason,
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
    CHECK(gather_facts(run, crash).models.at({"network", ""}).failure.value().reason ==
          "network.ts: crashes");
    CHECK(tried == std::vector<std::string>{"network"});
    tried.clear();
    const SmallData stored;
    CHECK(!gather_facts(stored.run, crash).models.at({"stored", ""}).failure);
    CHECK(tried.empty());
    // What is known to be damaged need not be told how it crashes.
    run.models[0].weights_sha256 = std::string(64, '0');
    CHECK_THAT(gather_facts(run, crash).models.at({"network", ""}).failure.value().reason,
               Catch::Contains("the checksum is wrong"));
}

TEST_CASE("networks that cannot be tried are failures of their models alone") {
    const test::TemporaryFolder folder;
    auto run = test::written_small_network_run(folder.path().string());
    const SmallData small;
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
    CHECK(gather_facts(run).models.at({"network", ""}).device == "cpu");
    run.models[0].device = "cuda";
    if (models::visible_gpus().count > 0) return;
    CHECK_THAT(gather_facts(run).models.at({"network", ""}).failure.value().reason,
               Catch::StartsWith("network.toml: device = \"cuda\" is not available"));
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

TEST_CASE("every rank has the facts that the first has gathered") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        auto run = test::small_run(folder);
        if (world.rank() > 0) run.models[0].features.path = "only/rank/0/reads.nc";
        const auto facts = pipeline::share_facts(run, world);
        CHECK(!facts.models.at({"stored", ""}).failure);
        CHECK(facts.models.at({"stored", ""}).layers.size() == 2);
        CHECK(facts.datasets.at("small").assembly_keys.size() == 1);
    });
}

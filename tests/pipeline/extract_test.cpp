#include "pipeline/extraction/extract.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/activations/activations_file.hpp"
#include "models/network/network.hpp"
#include "models/recording/recorder.hpp"
#include "stimuli/load_stimulus.hpp"
#include "support/extraction_source.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/team.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral;
using test::Team;

namespace fs = std::filesystem;

namespace {

struct Source : test::ExtractionSource {
    using ExtractionSource::ExtractionSource;

    pipeline::ExtractRequest request(const std::string& path) const {
        return {model, stimuli, {"stage1", "stage7"}, "key", path};
    }
};

std::vector<float> rows_of(const std::string& path, const std::string& layer) {
    const io::ActivationsFile file(path);
    const auto features = io::feature_count(*file.find(layer));
    std::vector<float> values(file.rows() * features);
    file.read_columns(layer, 0, features, values);
    return values;
}

}  // namespace

TEST_CASE("the file has a row per stimulus, as the network gives it in a whole batch") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder);
        pipeline::extract(source.request(folder + "/a.h5"), team.context);
        if (world.rank() != 0) return;
        const io::ActivationsFile file(folder + "/a.h5");
        CHECK(file.key() == "key");
        CHECK(file.stimulus_ids() == source.stimuli.stimulus_ids);
        const auto stage7 = rows_of(folder + "/a.h5", "stage7");
        REQUIRE(stage7.size() == test::network_stimuli * 26);

        // The last pass: images 16 and 17, and image 17 twice more.
        std::vector<float> pixels;
        for (const std::size_t i : {16, 17, 17, 17}) {
            const auto image =
                stimuli::load_stimulus(source.stimuli.files[i], 8, 8, *source.model.preprocessing);
            pixels.insert(pixels.end(), image.begin(), image.end());
        }
        const models::LayerRecorder recorder(models::Network::load(source.model.weights_file),
                                             {"stage7"});
        const auto expected = recorder.record(
            pixels, {4, 3, models::demo_input_pixels, models::demo_input_pixels})[0];
        for (std::size_t j = 0; j < 2 * 26; ++j) CHECK(stage7[16 * 26 + j] == expected.values[j]);
    });
}

TEST_CASE("ranks and threads change no bit of the activations") {
    const bool draws = GENERATE(false, true);
    test::on_ranks_in_folder([draws](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        auto request = source.request("");
        if (draws) {
            request.layers = {"logits"};
            if (world.rank() == 0)
                test::save_network(
                    {"Net", "def forward(self, x):\n  return x + torch.rand_like(x)\n", {}, {}, ""},
                    source.model.weights_file);
            world.barrier();
        }
        for (const std::size_t threads : {1, 3}) {
            Team team(world, folder, threads);
            request.path = folder + "/" + std::to_string(threads) + ".h5";
            pipeline::extract(request, team.context);
        }
        if (world.rank() != 0) return;
        const auto serial = comm::make_serial();
        Team alone(*serial, folder);
        request.path = folder + "/alone.h5";
        pipeline::extract(request, alone.context);
        for (const auto& layer : request.layers)
            for (const char* name : {"/1.h5", "/3.h5"})
                CHECK(rows_of(folder + name, layer) == rows_of(folder + "/alone.h5", layer));
    });
}

TEST_CASE("compression changes no bit of the activations, whatever the ranks and threads") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        for (const std::size_t threads : {1, 3}) {
            Team team(world, folder, threads);
            pipeline::extract(source.request(folder + "/plain.h5"), team.context);
            team.context.kept.compression = 4;
            pipeline::extract(source.request(folder + "/small.h5"), team.context);
            if (world.rank() == 0)
                for (const char* layer : {"stage1", "stage7"})
                    CHECK(rows_of(folder + "/small.h5", layer) ==
                          rows_of(folder + "/plain.h5", layer));
            world.barrier();
        }
    });
}

TEST_CASE("what is wrong with an image, a layer or the record fails on every rank") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Source source(world, folder);
        Team team(world, folder);
        auto request = source.request(folder + "/a.h5");
        request.layers = {"stage8"};
        CHECK_THROWS_WITH(pipeline::extract(request, team.context), Catch::Contains("stage8"));
        request.layers = {"stage/8"};
        CHECK_THROWS_WITH(pipeline::extract(request, team.context),
                          Catch::Contains("network.toml: layer 'stage/8' cannot be stored"));
        source.stimuli.files[9] = folder + "/lost.png";
        CHECK_THROWS_WITH(pipeline::extract(source.request(folder + "/a.h5"), team.context),
                          Catch::Contains("lost.png"));
        source.model.preprocessing->crop.reset();
        CHECK_THROWS_WITH(pipeline::extract(source.request(folder + "/a.h5"), team.context),
                          Catch::Contains("sizes of their own"));
        source.model.preprocessing.reset();
        CHECK_THROWS_WITH(pipeline::extract(source.request(folder + "/a.h5"), team.context),
                          Catch::Contains("[preprocessing]"));
        CHECK_FALSE(fs::exists(folder + "/a.h5"));
    });
}

TEST_CASE("shapes of layers are checked on every rank before there is a file") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder);
        auto request = source.request(folder + "/a.h5");
        std::vector<io::LayerShape> seen;
        request.check_shapes = [&](const std::vector<io::LayerShape>& layers) {
            seen = layers;
            throw core::InputError("network.toml: too small");
        };
        CHECK_THROWS_WITH(pipeline::extract(request, team.context), Catch::Contains("too small"));
        REQUIRE(seen.size() == 2);
        CHECK(seen[1].name == "stage7");
        CHECK(io::feature_count(seen[1]) == 26);
        CHECK_FALSE(fs::exists(folder + "/a.h5"));
    });
}

TEST_CASE("a layer whose shape differs between batches is told by name") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        // The last pass ends with the same image twice. As many numbers in another shape count too.
        for (const auto* other : {"x[:, :1]", "x.flatten(1)"}) {
            if (world.rank() == 0)
                test::save_network({"Net",
                                    "def forward(self, x):\n"
                                    "  if bool(torch.equal(x[2], x[3])):\n"
                                    "    return " +
                                        std::string(other) +
                                        "\n"
                                        "  return x\n",
                                    {},
                                    {},
                                    ""},
                                   source.model.weights_file);
            world.barrier();
            Team team(world, folder);
            auto request = source.request(folder + "/a.h5");
            request.layers = {"logits"};
            CHECK_THROWS_WITH(
                pipeline::extract(request, team.context),
                Catch::Contains("network.toml: layer 'logits' gives some images another shape"));
            CHECK_FALSE(fs::exists(folder + "/a.h5"));
            world.barrier();
        }
    });
}

TEST_CASE("layers with values that are NaN or infinite are told with their first such row") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder);
        CHECK(pipeline::extract(source.request(folder + "/a.h5"), team.context).odd_rows.empty());
        // The last pass, of images 16 and 17, ends with the same image twice.
        if (world.rank() == 0)
            test::save_network({"Net",
                                "def forward(self, x):\n"
                                "  if bool(torch.equal(x[2], x[3])):\n"
                                "    return torch.cat([x[:1], x[1:] / 0.0])\n"
                                "  return x\n",
                                {},
                                {},
                                ""},
                               source.model.weights_file);
        world.barrier();
        for (const int compression : {0, 1}) {
            Team again(world, folder);
            again.context.kept.compression = compression;
            auto request = source.request(folder + "/odd.h5");
            request.layers = {"logits"};
            const auto odd = pipeline::extract(request, again.context).odd_rows;
            CHECK(odd == std::map<std::string, std::size_t>{{"logits", 17}});
            world.barrier();
        }
    });
}

TEST_CASE("a request to stop leaves no file") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const Source source(world, folder);
        Team team(world, folder, 1, std::chrono::seconds(0));
        CHECK_THROWS_AS(pipeline::extract(source.request(folder + "/a.h5"), team.context),
                        core::Interrupted);
        CHECK_FALSE(fs::exists(folder + "/a.h5"));
    });
}

TEST_CASE("a request to stop during the last batch leaves the whole file, an earlier one none") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Source source(world, folder);
        source.model.batch_size = 2;
        const auto at_once = models::images_at_once(source.model);
        const auto extract_until_stopped = [&](std::size_t images) {
            Team team(world, folder);
            source.stimuli.stimulus_ids.resize(images, "i");
            source.stimuli.files.resize(images, source.stimuli.files[0]);
            source.stimuli.visual_degrees.resize(images, 8);
            source.stimuli.columns.clear();
            auto request = source.request(folder + "/a.h5");
            // The first batches, one of each rank, are done then.
            request.check_shapes = [&](const auto&) { team.ask_to_stop(); };
            pipeline::extract(request, team.context);
        };
        const auto are_unfinished_removed = [&] {
            const auto is_there = [&] {
                const fs::directory_iterator files(folder);
                return std::any_of(begin(files), end(files), [](const auto& entry) {
                    return entry.path().extension() == ".tmp";
                });
            };
            // Another process does so.
            for (int tenths = 0; is_there() && tenths < 100; ++tenths)
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            return !is_there();
        };
        const auto ranks = static_cast<std::size_t>(world.size());
        CHECK_THROWS_AS(extract_until_stopped(at_once * ranks + 1), core::Interrupted);
        CHECK_FALSE(fs::exists(folder + "/a.h5"));
        CHECK(are_unfinished_removed());
        CHECK_NOTHROW(extract_until_stopped(at_once * ranks));
        CHECK(io::ActivationsFile(folder + "/a.h5").rows() == at_once * ranks);
    });
}

TEST_CASE("of restricted stimuli the file and the errors have numbers only") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    Source source(*serial, folder.path().string());
    for (std::size_t i = 0; i < source.stimuli.stimulus_ids.size(); ++i)
        source.stimuli.stimulus_ids[i] = "secret" + std::to_string(i);
    source.stimuli.columns = {
        {"object_name", std::vector<std::string>(test::network_stimuli, "secret face")}};
    Team team(*serial, folder.path().string());
    auto request = source.request(folder.file("a.h5"));
    request.access = benchmarks::Access::restricted;
    pipeline::extract(request, team.context);
    CHECK(io::ActivationsFile(folder.file("a.h5")).stimulus_ids().at(7) == "7");
    CHECK_FALSE(test::occurs_under(folder.path().string(), "secret"));
    source.stimuli.files[2] = folder.file("secret.png");
    CHECK_THROWS_WITH(
        pipeline::extract(request, team.context),
        Catch::Contains("image 2 of stimulus set 'images'") && !Catch::Contains("secret"));
}

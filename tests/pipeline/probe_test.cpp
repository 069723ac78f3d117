#include "pipeline/outlook/probe.hpp"

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/text/stimulus_csv.hpp"
#include "support/small_network.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

struct SmallNetwork {
    SmallNetwork() {
        const auto path = folder.path().string();
        model = test::written_small_network_run(path).models[0];
        stimuli = io::read_stimulus_set({"images", path + "/stimuli.csv", path, 8});
    }

    test::TemporaryFolder folder;
    models::ModelRecord model;
    core::StimulusSet stimuli;
};

}  // namespace

TEST_CASE("one batch tells the sizes of a network's layers and what they take") {
    const SmallNetwork network;
    const auto probe = pipeline::probe_network(network.model, network.stimuli,
                                               benchmarks::Access::open, {"stage7", "stage1"});
    const auto& sizes = probe.layers;
    CHECK(probe.flops > 0);
    CHECK(probe.load_seconds > 0);
    CHECK(probe.image_seconds > 0);
    CHECK(probe.batch_seconds > 0);
    REQUIRE(sizes.size() == 2);
    // The demo network has 26 units in stage 7 and 9 × 2 × 2 in stage 1.
    CHECK(sizes[0].name == "stage7");
    CHECK(sizes[0].features == 26);
    CHECK(sizes[1].features == 36);
}

TEST_CASE("a probe does not name a private image") {
    SmallNetwork network;
    std::filesystem::resize_file(network.stimuli.files[0], 40);
    const auto problem = [&](benchmarks::Access access) {
        try {
            pipeline::probe_network(network.model, network.stimuli, access, {"stage1"});
        } catch (const core::InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(problem(benchmarks::Access::open), Catch::Contains(".png"));
    CHECK_THAT(problem(benchmarks::Access::restricted),
               Catch::StartsWith("image 0 of stimulus set 'images'") && !Catch::Contains(".png"));
}

TEST_CASE("what would fail a run fails its probe") {
    SmallNetwork network;
    CHECK_THROWS_WITH(pipeline::probe_network(network.model, network.stimuli,
                                              benchmarks::Access::open, {"stage8"}),
                      Catch::Contains("stage8"));
    network.model.preprocessing->crop.reset();
    CHECK_THROWS_WITH(pipeline::probe_network(network.model, network.stimuli,
                                              benchmarks::Access::open, {"stage1"}),
                      Catch::StartsWith("network.toml") && Catch::Contains("set crop"));
    network.model.preprocessing.reset();
    CHECK_THROWS_WITH(pipeline::probe_network(network.model, network.stimuli,
                                              benchmarks::Access::open, {"stage1"}),
                      Catch::Contains("[preprocessing]"));
    SmallNetwork imageless;
    imageless.stimuli.files[0] = imageless.folder.file("lost.png");
    CHECK_THROWS_AS(pipeline::probe_network(imageless.model, imageless.stimuli,
                                            benchmarks::Access::open, {"stage1"}),
                    core::InputError);
}

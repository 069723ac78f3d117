#include "pipeline/extraction/unrecordable_layers.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/text/stimulus_csv.hpp"
#include "pipeline/outlook/probe.hpp"
#include "support/small_network.hpp"
#include "support/temporary_folder.hpp"
#include "support/torch_fixture.hpp"

using Catch::Matchers::Contains;
using namespace ventral;
using pipeline::unrecordable_layers;

namespace {

test::ScriptedModule leaf(const std::string& name, const std::string& expression) {
    return {name, "def forward(self, x):\n  return " + expression + "\n", {}, {}, ""};
}

/// Batches of four images go through "always", "mean" (one number for all of them) and "steps", but
/// not through "seldom".
struct OddNetwork {
    OddNetwork() {
        const auto path = folder.path().string();
        model = test::written_small_network_run(path).models[0];
        test::save_network(
            {"Net",
             "def forward(self, x):\n"
             "  x = self.always.forward(x)\n"
             "  m = self.mean.forward(x)\n"
             "  if x.size(0) > 4:\n"
             "    x = self.seldom.forward(x)\n"
             "  return self.steps.forward(x) + m\n",
             {},
             {leaf("always", "torch.flatten(x, 1)[:, :6]"), leaf("mean", "torch.mean(x)"),
              leaf("seldom", "x"), leaf("steps", "x.reshape([-1, 2, 3])"), leaf("unused", "x")},
             ""},
            model.weights_file);
        stimuli = io::read_stimulus_set({"images", path + "/stimuli.csv", path, 8});
    }

    test::TemporaryFolder folder;
    models::ModelRecord model;
    core::StimulusSet stimuli;
};

}  // namespace

TEST_CASE("each layer that a network cannot give is told with its reason, the others are not") {
    const OddNetwork network;
    const auto reasons = unrecordable_layers(
        network.model, network.stimuli, {"always", "seldom", "mean", "unused", "absent", "logits"});
    REQUIRE(reasons.size() == 4);
    CHECK_THAT(reasons.at("seldom"), Contains("was not called for these images"));
    CHECK_THAT(reasons.at("mean"), Contains("gives [] (not a row"));
    CHECK_THAT(reasons.at("unused"), Contains("forward never calls it"));
    CHECK_THAT(reasons.at("absent"), Contains("no layer 'absent'"));
}

TEST_CASE("a member that a list lacks is told for its own layer only") {
    OddNetwork network;
    test::save_network(
        {"Net",
         "def forward(self, x):\n"
         "  return self.two.forward(self.one.forward(x))[0]\n",
         {},
         {leaf("one", "torch.flatten(x, 1)[:, :6]"),
          {"two", "def forward(self, x) -> List[Tensor]:\n  return [x, x]\n", {}, {}, ""}},
         ""},
        network.model.weights_file);
    const auto reasons =
        unrecordable_layers(network.model, network.stimuli, {"one", "two[1]", "two[7]"});
    REQUIRE(reasons.size() == 1);
    CHECK_THAT(reasons.at("two[7]"), Contains("layer 'two[7]' was not called"));
}

TEST_CASE("a layer that no file can have is told for itself only") {
    OddNetwork network;
    test::save_network({"Net",
                        "def forward(self, x):\n"
                        "  y = self.none.forward(x)\n"
                        "  return self.one.forward(x)\n",
                        {},
                        {leaf("one", "torch.flatten(x, 1)[:, :6]"), leaf("none", "x[:, :0]")},
                        ""},
                       network.model.weights_file);
    const auto reasons =
        unrecordable_layers(network.model, network.stimuli, {"one", "none", "one/two"});
    REQUIRE(reasons.size() == 2);
    CHECK_THAT(reasons.at("none"), Contains("network.toml: layer 'none' cannot be stored (it has "
                                            "no number for a stimulus)"));
    CHECK_THAT(reasons.at("one/two"), Contains("its name has a '/'"));
    CHECK_THROWS_WITH(pipeline::probe_network(network.model, network.stimuli,
                                              benchmarks::Access::open, {"one", "none"}),
                      Contains("layer 'none' cannot be stored"));
}

TEST_CASE("a stimulus that cannot be read is no layer's fault") {
    OddNetwork network;
    network.stimuli.files[0] = network.folder.file("lost.png");
    const auto reasons =
        unrecordable_layers(network.model, network.stimuli, {"always", "seldom", "unused"});
    CHECK(reasons.size() == 1);
    CHECK(reasons.count("unused") == 1);
    std::filesystem::remove(network.model.weights_file);
    CHECK_THROWS_AS(unrecordable_layers(network.model, network.stimuli, {"always"}),
                    core::InputError);
}

TEST_CASE("layers without the axis of time that the model has are told") {
    OddNetwork network;
    // {2, 3} of each stimulus, the batch being axis 0.
    network.model.time = {1, {{0, 50}, {50, 100}}};
    const auto reasons = unrecordable_layers(network.model, network.stimuli, {"always", "steps"});
    CHECK(reasons.size() == 1);
    CHECK(reasons.count("always") == 1);
}

#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>

#include <catch2/catch.hpp>

#include "io/activations/activations_file.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "pipeline/network_unit.hpp"
#include "support/gram_products.hpp"
#include "support/planned_unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/team.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::activation_files;
using test::add_pca;
using test::both;
using test::both_names;
using test::empty_folder;
using test::network_unit;
using test::on_first_rank;
using test::same_bits;
using test::Team;
using test::write_fewer_images;

TEST_CASE("a damaged Gram is made again by the network if the activations are gone") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        const auto gram = test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                                .gram_of({"stage7"}, {{"stage7"}}));
        on_first_rank(world, [&] {
            for (const auto& name : test::files_in(folder + "/grams"))
                std::ofstream(folder + "/grams/" + name, std::ios::trunc) << "torn";
            empty_folder(folder + "/activations");
        });
        CHECK(same_bits(test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                              .gram_of({"stage7"}, {{"stage7"}})),
                        gram));
    });
}

TEST_CASE("a damaged file of activations is made again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        team.context.kept.grams = pipeline::Keep::discard;
        const auto gram = test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                                .gram_of({"stage7"}, {{"stage7"}}));
        on_first_rank(world, [&] {
            for (const auto& name : test::files_in(folder + "/activations"))
                std::ofstream(folder + "/activations/" + name, std::ios::trunc) << "torn";
        });
        CHECK(same_bits(test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                              .gram_of({"stage7"}, {{"stage7"}})),
                        gram));
    });
}

TEST_CASE("a disk that takes no activations fails all layers for now, and says so") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        on_first_rank(world, [&] {
            std::filesystem::remove(folder + "/activations");
            // A batch of one image four times, as single layers are tried with, has no contrast.
            test::save_network(
                {"Net",
                 "def forward(self, x):\n"
                 "  if bool((x[0] != x[1]).any()):\n"
                 "    x = self.contrast.forward(x)\n"
                 "  return self.pixels.forward(x)\n",
                 {},
                 {{"pixels", "def forward(self, x):\n  return torch.flatten(x, 1)\n", {}, {}, ""},
                  {"contrast", "def forward(self, x):\n  return x + 1\n", {}, {}, ""}},
                 ""},
                folder + "/network.ts");
        });
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        for (const char* layer : {"pixels", "contrast"}) {
            std::optional<core::Failure> found;
            try {
                features.gram_of({layer}, {{"contrast"}, {"pixels"}});
            } catch (const std::exception& error) {
                found = core::failure_of(error);
            }
            REQUIRE(found);
            CHECK(found->failure_class == core::FailureClass::transient);
            CHECK_THAT(found->reason, Catch::Contains("cannot be written"));
        }
    });
}

TEST_CASE("activations that are not to be kept are removed when the unit is done") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        for (const auto keep : {pipeline::Keep::discard, pipeline::Keep::keep}) {
            Team team(world, folder);
            team.context.kept.grams = pipeline::Keep::discard;
            team.context.kept.activations = keep;
            UnitFeatures features(unit.planned, unit.inputs, team.context);
            features.gram_of({"stage7"}, both);
            world.barrier();
            features.discard_activations();
            world.barrier();
            CHECK(activation_files(folder) == (keep == pipeline::Keep::keep ? 1 : 0));
            world.barrier();
        }
    });
}

TEST_CASE("what a later unit needs too is not discarded") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        team.context.kept.activations = pipeline::Keep::discard;
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        features.gram_of({"stage7"}, both);
        world.barrier();
        CHECK(activation_files(folder) == 1);
        const auto of_same_weights = unit.planned;
        unit.inputs.later = {&of_same_weights};
        on_first_rank(world, [&] { features.discard_activations(); });
        CHECK(activation_files(folder) == 1);
        unit.inputs.later = {};
        on_first_rank(world, [&] { features.discard_activations(); });
        CHECK(activation_files(folder) == 0);
    });
}

TEST_CASE("weights and images that change while the network runs give nothing that is kept") {
    const std::string change = GENERATE("damaged weights", "weights without the layers", "an image",
                                        "an image is away", "a withheld image is away");
    const bool withheld = change == "a withheld image is away";
    const test::ScriptedModule other{"Net", "def forward(self, x):\n  return x\n", {}, {}, ""};
    test::on_ranks_in_folder([&](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        if (withheld) unit.run.datasets.begin()->second.access = benchmarks::Access::restricted;
        unit.facts = pipeline::share_facts(unit.run, world);
        pipeline::InputTruth truth(unit.facts, folder + "/hashes.json");
        unit.inputs.truth = &truth;
        unit.trials = {unit.run, [&](const std::vector<models::ModelRecord>&) {
                           if (change == "an image")
                               std::filesystem::copy_file(
                                   folder + "/i4.png", folder + "/i3.png",
                                   std::filesystem::copy_options::overwrite_existing);
                           else if (change.ends_with("away"))
                               std::filesystem::remove(folder + "/i3.png");
                           else if (change == "damaged weights")
                               std::filesystem::resize_file(folder + "/network.ts", 100);
                           else
                               test::save_network(other, folder + "/network.ts");
                           return std::map<std::string, std::string>();
                       }};
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        try {
            features.gram_of({"stage7"}, both);
            FAIL_CHECK("the change passes unnoticed");
        } catch (const std::exception& error) {
            const auto failure = core::failure_of(error);
            CHECK(failure.failure_class == core::FailureClass::transient);
            CHECK_THAT(failure.reason,
                       Catch::Contains(withheld ? "withheld" : "when the run began"));
            CHECK((failure.reason.find("i3.png") == std::string::npos || !withheld));
        }
        world.barrier();
        CHECK(activation_files(folder) == 0);
        CHECK(test::files_in(folder + "/grams").empty());
    });
}

TEST_CASE("what one unit discards stays while another uses it, and goes with that one") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        team.context.kept.grams = team.context.kept.activations = pipeline::Keep::discard;
        UnitFeatures first(unit.planned, unit.inputs, team.context);
        UnitFeatures second(unit.planned, unit.inputs, team.context);
        first.gram_of({"stage7"}, both);
        second.gram_of({"stage7"}, both);
        on_first_rank(world, [&] { first.discard_activations(); });
        CHECK(activation_files(folder) == 1);
        CHECK(second.columns_of({"stage6"}, both).reader({0})(0, 27).features == 27);
        on_first_rank(world, [&] { second.discard_activations(); });
        CHECK(activation_files(folder) == 0);
    });
}

TEST_CASE("activations that vanish while they are in use are made again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        features.gram_of({"stage7"}, both);
        on_first_rank(world, [&] { empty_folder(folder + "/activations"); });
        CHECK(features.columns_of({"stage6"}, both).reader({0})(0, 27).features == 27);
    });
}

TEST_CASE("a resumed unit discards what an interrupted run has left of it, and nothing else") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        if (world.rank() == 0) write_fewer_images(folder);
        world.barrier();
        add_pca(unit, 3, "fewer");
        unit.planned.layers = both_names;
        Team team(world, folder);
        team.context.kept.activations = pipeline::Keep::discard;
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage6"}, both);
        on_first_rank(world, [&] {
            std::ofstream(folder + "/activations/another-unit.h5") << "its activations";
            CHECK(activation_files(folder) == 4);  // two of the network and a projection
        });
        UnitFeatures resumed(unit.planned, unit.inputs, team.context);
        resumed.gram_of({"stage6"}, both);
        on_first_rank(world, [&] { resumed.discard_activations(); });
        CHECK(test::files_in(folder + "/activations") ==
              std::vector<std::string>{"another-unit.h5"});
    });
}

TEST_CASE("a machine of another kind makes activations and Grams of its own") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        for (const char* fingerprint : {"one", "two"}) {
            Team team(world, folder);
            team.context.fingerprint = fingerprint;
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage7"}, {{"stage7"}});
        }
        world.barrier();
        CHECK(activation_files(folder) == 2);
        CHECK(test::files_in(folder + "/grams").size() == 2);
    });
}

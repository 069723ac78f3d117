#include "pipeline/fit/unit_features.hpp"

#include <filesystem>
#include <fstream>
#include <new>
#include <optional>

#include <catch2/catch.hpp>

#include "io/activations/activations_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/network_unit.hpp"
#include "support/gram_products.hpp"
#include "support/planned_unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"
#include "support/torch_fixture.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::Team;
using Unit = test::PlannedUnit;
using test::activation_files;
using test::both;
using test::both_names;
using test::empty_folder;
using test::network_unit;
using test::on_first_rank;
using test::same_bits;

TEST_CASE("the network runs once for all wanted layers") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const auto gram = features.gram_of({"stage7"}, both);
        CHECK(gram.rows == test::network_stimuli);
        CHECK(gram.features == 26);
        on_first_rank(world, [&] {
            CHECK(activation_files(folder) == 1);
            std::filesystem::remove(folder + "/network.ts");
        });
        CHECK(features.gram_of({"stage6"}, both).features == 27);
        CHECK(features.gram_of(both_names, both).features == 53);
        CHECK(features.stimulus_ids().at(3) == "i3");
    });
}

TEST_CASE(
    "a network that its trial refuses is not loaded, one whose Grams are known is not tried") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage7"}, both);
        unit.trials = {
            unit.run, [](const std::vector<models::ModelRecord>& models) {
                return std::map<std::string, std::string>{{models.at(0).identifier, "it crashes"}};
            }};
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK(features.gram_of({"stage7"}, both).features == 26);
        on_first_rank(world, [&] {
            empty_folder(folder + "/activations");
            empty_folder(folder + "/grams");
        });
        CHECK_THROWS_WITH(features.gram_of({"stage6"}, both), Catch::Contains("it crashes"));
        CHECK(activation_files(folder) == 0);
    });
}

TEST_CASE("known activations are read, known Grams need not even them") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        const auto gram = test::products_of(
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both_names, both));
        on_first_rank(world, [&] {
            std::filesystem::remove(folder + "/network.ts");
            empty_folder(folder + "/grams");
        });
        CHECK(same_bits(
            test::products_of(
                UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both_names, both)),
            gram));
        on_first_rank(world, [&] { std::filesystem::remove_all(folder + "/activations"); });
        CHECK(same_bits(
            test::products_of(
                UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both_names, both)),
            gram));
        CHECK_FALSE(std::filesystem::exists(folder + "/activations"));
    });
}

TEST_CASE("where only Grams are left the network runs once for the columns of all layers") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both_names, both);
        on_first_rank(world, [&] { empty_folder(folder + "/activations"); });
        UnitFeatures resumed(unit.planned, unit.inputs, team.context);
        CHECK(resumed.columns_of({"stage6"}, both).features() == 27);
        CHECK(resumed.columns_of({"stage7"}, both).features() == 26);
        world.barrier();
        CHECK(activation_files(folder) == 1);
    });
}

TEST_CASE("the network runs for layers that need their features although they have a Gram") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage6"}, {{"stage6"}});
        on_first_rank(world, [&] { empty_folder(folder + "/activations"); });
        // Of stage6 the features alone are needed, and of stage7 the Gram: one pass does for both.
        const std::vector<pipeline::OpenLayer> wanted = {{"stage6", {}, true}, {"stage7"}};
        {
            UnitFeatures resumed(unit.planned, unit.inputs, team.context);
            CHECK(resumed.gram_of({"stage7"}, wanted).features == 26);
            world.barrier();
            CHECK(activation_files(folder) == 1);
            CHECK(resumed.columns_of({"stage6"}, wanted, {}, UnitFeatures::PassFor::needed)
                      .features() == 27);
            world.barrier();
            CHECK(activation_files(folder) == 1);
        }
        // Recorded layers are not recorded again for another one.
        on_first_rank(world, [&] { std::filesystem::remove_all(folder + "/grams"); });
        const std::vector<pipeline::OpenLayer> third = {{"stage6", {}, true}, {"stage1", {}, true}};
        UnitFeatures later(unit.planned, unit.inputs, team.context);
        CHECK(later.columns_of({"stage1"}, third, {}, UnitFeatures::PassFor::needed).features() >
              0);
        world.barrier();
        CHECK(activation_files(folder) == 2);
        on_first_rank(world, [&] {
            std::size_t with_stage6 = 0;
            for (const auto& name : test::files_in(folder + "/activations")) {
                const io::ActivationsFile file(folder + "/activations/" + name);
                for (const auto& layer : file.layers())
                    with_stage6 += layer.name == "stage6" ? 1 : 0;
            }
            CHECK(with_stage6 == 1);
        });
    });
}

TEST_CASE("a layer that cannot be recorded does not keep the others") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const std::vector<pipeline::OpenLayer> wanted = {{"stage8"}, {"stage7"}};
        CHECK_THROWS_WITH(features.gram_of({"stage8"}, wanted), Catch::Contains("stage8"));
        on_first_rank(world, [&] {
            CHECK(activation_files(folder) == 1);
            std::filesystem::remove(folder + "/network.ts");
        });
        CHECK_THROWS_WITH(features.gram_of({"stage7", "stage8"}, wanted),
                          Catch::Contains("stage8"));
        CHECK(features.gram_of({"stage7"}, wanted).features == 26);
    });
}

TEST_CASE(
    "a layer that only the run finds without a row for each stimulus does not keep the others") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        on_first_rank(world, [&] {
            test::save_network(
                {"Net",
                 "def forward(self, x):\n"
                 "  return self.pixels.forward(x) + self.mean.forward(x)\n",
                 {},
                 {{"pixels", "def forward(self, x):\n  return torch.flatten(x, 1)\n", {}, {}, ""},
                  {"mean", "def forward(self, x):\n  return torch.mean(x)\n", {}, {}, ""}},
                 ""},
                folder + "/network.ts");
        });
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const std::vector<pipeline::OpenLayer> wanted = {{"mean"}, {"pixels"}};
        CHECK_THROWS_WITH(features.gram_of({"mean"}, wanted),
                          Catch::Contains("layer 'mean' gives []"));
        CHECK(features.gram_of({"pixels"}, wanted).features == 3 * 64 * 64);
    });
}

TEST_CASE("stored features are read by the first rank alone") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        Unit unit(test::small_run(world.rank() == 0 ? folder : "nowhere"), "small");
        Team team(world, folder);
        team.context.kept.grams = pipeline::Keep::discard;
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK(features.gram_of({"narrow", "wide"}, {}).features == 120);
        CHECK(features.stimulus_ids().front() == "s39");
        CHECK_THROWS_WITH(features.gram_of({"wider"}, {}), Catch::Contains("'wide'"));
    });
}

TEST_CASE("the labels that splits are drawn by are those of stored features or of the stimuli") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto benchmark = test::small_benchmark("pls");
        auto& coordinate = benchmark.metric.cross_validation.stratification_coordinate;
        coordinate = "filename";
        if (world.rank() == 0) {
            auto stored = test::small_features();
            stored.coordinates.push_back(
                {"filename", "presentation", std::vector<std::int64_t>(test::small_stimuli, 3)});
            io::write_assembly(folder + "/features.nc", stored);
        }
        auto network = network_unit(world, folder);
        Team team(world, folder);
        benchmark.dataset = network.planned.dataset;
        const auto of_network =
            UnitFeatures(network.planned, network.inputs, team.context).split_labels(benchmark);
        REQUIRE(of_network.size() == 1);
        CHECK(of_network.at("filename").at(3) == "i3.png");
        Unit unit(test::small_run(folder), "small");
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK(features.split_labels(benchmark).at("filename") ==
              std::vector<std::string>(test::small_stimuli, "3"));
        coordinate.reset();
        CHECK(features.split_labels(benchmark).empty());
    });
}

TEST_CASE("a rank without memory fails the layers on all ranks alike, and is not asked again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        int trials = 0;
        unit.trials = {unit.run, [&](const auto&) -> std::map<std::string, std::string> {
                           ++trials;
                           throw std::bad_alloc();
                       }};
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        for (const char* layer : {"stage6", "stage7"}) {
            std::optional<core::FailureClass> found;
            try {
                features.gram_of({layer}, both);
            } catch (const std::exception& error) {
                found = core::failure_of(error).failure_class;
            }
            CHECK(found == core::FailureClass::out_of_memory);
        }
        CHECK(trials == (world.rank() == 0 ? 1 : 0));
    });
}

TEST_CASE("what was read of stored features that have changed since is not to be recorded") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) {
            test::write_small_data(folder);
            std::filesystem::create_directory(folder + "/grams");
        }
        world.barrier();
        Unit unit(test::small_run(folder), "small");
        unit.facts = pipeline::share_facts(unit.run, world);
        pipeline::InputTruth truth(unit.facts, folder + "/hashes.json");
        unit.inputs.truth = &truth;
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const std::vector<pipeline::OpenLayer> wide = {{test::wide_layer}};
        CHECK(features.gram_of({test::wide_layer}, wide).features == 90);
        CHECK_NOTHROW(features.require_unchanged());
        world.barrier();
        if (world.rank() == 0)
            io::write_assembly(folder + "/features.nc",
                               core::take(test::small_features(), "presentation", {0, 1, 2}));
        world.barrier();
        const auto is_passing = [&](const auto& work) {
            try {
                work();
            } catch (const std::exception& error) {
                return core::failure_of(error).failure_class == core::FailureClass::transient;
            }
            return false;
        };
        CHECK(is_passing([&] { features.require_unchanged(); }));
        // Nor is a Gram of it kept.
        const std::vector<pipeline::OpenLayer> narrow = {{test::narrow_layer}};
        CHECK(is_passing([&] { features.gram_of({test::narrow_layer}, narrow); }));
        world.barrier();
        if (world.rank() == 0) {
            const std::filesystem::directory_iterator kept(folder + "/grams");
            CHECK(std::distance(begin(kept), end(kept)) == 1);
            std::filesystem::remove(folder + "/features.nc");
        }
        world.barrier();
        CHECK(is_passing([&] { features.require_unchanged(); }));
    });
}

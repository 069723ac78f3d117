#include "pipeline/unit_features.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "models/torch_runtime.hpp"
#include "pipeline/unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_network.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::Team;

namespace {

const std::vector<std::string> both = {"stage6", "stage7"};

/// A unit of a run's first model, and everything it is scored with.
struct Unit {
    Unit(config::RunRecord record, const std::string& dataset)
        : run(std::move(record)), recordings(run) {
        planned.dataset = dataset;
        planned.key = "unit";
    }

    config::RunRecord run;
    pipeline::RecordingsReader recordings;
    std::map<std::string, pipeline::CeilingOutcome> ceilings;
    pipeline::InputFacts facts;
    pipeline::Finished finished;
    pipeline::PlannedUnit planned;
    pipeline::UnitInputs inputs{run, recordings, ceilings, facts, finished};
};

/// The small network in `folder`, which all ranks share.
Unit network_unit(comm::Communicator& world, const std::string& folder) {
    models::configure_torch();
    if (world.rank() == 0) {
        test::write_small_network(folder);
        for (const char* part : {"/activations", "/grams"})
            std::filesystem::create_directory(folder + part);
    }
    world.barrier();
    return {test::small_network_run(folder), "images"};
}

std::vector<double> kernel_of(const pipeline::LayerGram& gram) {
    return {gram.kernel.begin(), gram.kernel.end()};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void on_first_rank(comm::Communicator& world, const std::function<void()>& action) {
    world.barrier();
    if (world.rank() == 0) action();
    world.barrier();
}

std::size_t activation_files(const std::string& folder) {
    return test::files_in(folder + "/activations").size();
}

}  // namespace

TEST_CASE("the network runs once for all wanted layers") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const auto gram = features.gram_of({"stage7"}, both);
        CHECK(gram.rows == 10);
        CHECK(gram.features == 26);
        on_first_rank(world, [&] {
            CHECK(activation_files(folder) == 1);
            std::filesystem::remove(folder + "/network.ts");
        });
        CHECK(features.gram_of({"stage6"}, both).features == 27);
        CHECK(features.gram_of(both, both).features == 53);
        CHECK(features.stimulus_ids().at(3) == "i3");
    });
}

TEST_CASE("known activations are read, known Grams need not even them") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        const auto gram =
            kernel_of(UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both, both));
        on_first_rank(world, [&] {
            std::filesystem::remove(folder + "/network.ts");
            std::filesystem::remove_all(folder + "/grams");
            std::filesystem::create_directory(folder + "/grams");
        });
        CHECK(same_bits(
            kernel_of(UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both, both)),
            gram));
        on_first_rank(world, [&] { std::filesystem::remove_all(folder + "/activations"); });
        CHECK(same_bits(
            kernel_of(UnitFeatures(unit.planned, unit.inputs, team.context).gram_of(both, both)),
            gram));
        CHECK_FALSE(std::filesystem::exists(folder + "/activations"));
    });
}

TEST_CASE("a damaged Gram is made again by the network if the activations are gone") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        const auto gram = kernel_of(
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage7"}, {"stage7"}));
        on_first_rank(world, [&] {
            for (const auto& name : test::files_in(folder + "/grams"))
                std::ofstream(folder + "/grams/" + name, std::ios::trunc) << "torn";
            for (const auto& name : test::files_in(folder + "/activations"))
                std::filesystem::remove(folder + "/activations/" + name);
        });
        CHECK(same_bits(kernel_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                      .gram_of({"stage7"}, {"stage7"})),
                        gram));
    });
}

TEST_CASE("a damaged file of activations is made again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        team.context.grams = pipeline::Keep::discard;
        const auto gram = kernel_of(
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage7"}, {"stage7"}));
        on_first_rank(world, [&] {
            for (const auto& name : test::files_in(folder + "/activations"))
                std::ofstream(folder + "/activations/" + name, std::ios::trunc) << "torn";
        });
        CHECK(same_bits(kernel_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                      .gram_of({"stage7"}, {"stage7"})),
                        gram));
    });
}

TEST_CASE("a layer that cannot be recorded does not keep the others") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const std::vector<std::string> wanted = {"stage8", "stage7"};
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

TEST_CASE("activations that are not to be kept are removed when the unit is done") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        for (const auto keep : {pipeline::Keep::discard, pipeline::Keep::keep}) {
            Team team(world, folder);
            team.context.grams = pipeline::Keep::discard;
            team.context.activations = keep;
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

TEST_CASE("a machine of another kind makes activations and Grams of its own") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        for (const char* fingerprint : {"one", "two"}) {
            Team team(world, folder);
            team.context.fingerprint = fingerprint;
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage7"}, {"stage7"});
        }
        world.barrier();
        CHECK(activation_files(folder) == 2);
        CHECK(test::files_in(folder + "/grams").size() == 2);
    });
}

TEST_CASE("stored features are read by the first rank alone") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        Unit unit(test::small_run(world.rank() == 0 ? folder : "nowhere"), "small");
        Team team(world, folder);
        team.context.grams = pipeline::Keep::discard;
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK(features.gram_of({"narrow", "wide"}, {}).features == 120);
        CHECK(features.stimulus_ids().front() == "s39");
        CHECK_THROWS_WITH(features.gram_of({"wider"}, {}), Catch::Contains("'wide'"));
    });
}

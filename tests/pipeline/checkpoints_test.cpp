#include "pipeline/journal/checkpoints.hpp"

#include <catch2/catch.hpp>

#include "pipeline/fit/unit_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/network_unit.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::add_pca;
using test::both;
using test::network_unit;
using test::Team;

TEST_CASE("what another unit will have made is taken for there") {
    pipeline::Checkpoints checkpoints;
    pipeline::PlannedUnit unit;
    unit.key = "shared";
    CHECK_FALSE(checkpoints.of(unit, "layer").activations);
    checkpoints.expect_activations("shared", {"layer"});
    CHECK(checkpoints.of(unit, "layer").activations);
    CHECK_FALSE(checkpoints.of(unit, "another").activations);
    CHECK_FALSE(checkpoints.has_activations("other", "layer"));
    CHECK_FALSE(checkpoints.of(unit, "layer").gram);
    checkpoints.expect_gram(pipeline::gram_key("shared", "", "layer", "", {}));
    CHECK(checkpoints.of(unit, "layer").gram);
    CHECK_FALSE(checkpoints.of(unit, "layer", {{0, 50}}).gram);
}

TEST_CASE("what is on disk of a unit's layers is found before they are used") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        const auto found = [&](const std::string& layer) {
            return pipeline::description(
                pipeline::Checkpoints(folder, team.context.fingerprint).of(unit.planned, layer));
        };
        CHECK(found("stage6") == "nothing");
        world.barrier();
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage6"}, both);
        world.barrier();
        CHECK(found("stage6") == "Gram and activations");
        CHECK(found("stage7") == "activations");
        CHECK(pipeline::description(
                  pipeline::Checkpoints(folder, "another machine").of(unit.planned, "stage6")) ==
              "nothing");
        world.barrier();
        add_pca(unit, 5, "images");
        unit.facts.datasets["images"].stimuli_key = "images";
        UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({"stage6"}, both);
        world.barrier();
        CHECK(found("stage6") == "Gram and projection and activations");
    });
}

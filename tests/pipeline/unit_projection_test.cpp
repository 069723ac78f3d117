#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "pipeline/fit/unit_features.hpp"
#include "pipeline/network_unit.hpp"
#include "support/gram_products.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::add_pca;
using test::both;
using test::both_names;
using test::empty_folder;
using test::network_unit;
using test::on_first_rank;
using test::same_bits;
using test::Team;
using test::write_fewer_images;

TEST_CASE("on all components of the same images the Gram is that of the features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        Team team(world, folder);
        UnitFeatures plain(unit.planned, unit.inputs, team.context);
        const auto stage6 = test::products_of(plain.gram_of({"stage6"}, both));
        const auto stage7 = test::products_of(plain.gram_of({"stage7"}, both));

        add_pca(unit, 26, "images");
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const auto gram = features.gram_of({"stage6"}, both);  // 27 features
        CHECK(gram.features == test::network_stimuli);
        double scale = 0;
        for (const double entry : stage6) scale = std::max(scale, std::abs(entry));
        for (std::size_t i = 0; i < stage6.size(); ++i)
            CHECK(gram.kernel[i] == Approx(stage6[i]).margin(1e-10 * scale));
        // 26 features: they pass through.
        CHECK(same_bits(test::products_of(features.gram_of({"stage7"}, both)), stage7));
        CHECK(features.gram_of(both_names, both).features == test::network_stimuli + 26);
    });
}

TEST_CASE("projections have the same bits on any number of ranks and are kept") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        if (world.rank() == 0) write_fewer_images(folder);
        world.barrier();
        add_pca(unit, 3, "fewer");
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        const auto kernel = test::products_of(features.gram_of({"stage6"}, both));
        CHECK(features.columns_of({"stage6", "stage7"}, both).features() == 6);
        on_first_rank(world, [&] {
            auto alone = comm::make_serial();
            const auto apart = folder + "/alone";
            for (const char* part : {"", "/activations", "/grams"})
                std::filesystem::create_directory(apart + part);
            Team one(*alone, apart);
            UnitFeatures again(unit.planned, unit.inputs, one.context);
            CHECK(same_bits(test::products_of(again.gram_of({"stage6"}, both)), kernel));
            std::filesystem::remove(folder + "/network.ts");
            empty_folder(folder + "/grams");
            for (const auto& name : test::files_in(folder + "/activations"))
                if (name.ends_with(".h5")) std::filesystem::remove(folder + "/activations/" + name);
        });
        UnitFeatures resumed(unit.planned, unit.inputs, team.context);
        CHECK(same_bits(test::products_of(resumed.gram_of({"stage6"}, both)), kernel));
    });
}

TEST_CASE("a PCA that cannot be fitted names its model, layer and dataset") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        auto unit = network_unit(world, folder);
        on_first_rank(world, [&] {
            std::ofstream(folder + "/stimuli.csv.single") << "stimulus_id,filename\ni0,i0.png\n";
        });
        add_pca(unit, 3, "single");
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK_THROWS_WITH(
            features.gram_of({"stage6"}, both),
            Catch::Contains(
                "network.toml: layer 'stage6', [pca] on dataset 'single': a PCA needs"));
    });
}

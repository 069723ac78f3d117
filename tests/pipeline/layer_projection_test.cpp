#include "pipeline/fit/layer_projection.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include <catch2/catch.hpp>

#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/extraction/activations_budget.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "support/gram_products.hpp"
#include "support/planned_unit.hpp"
#include "support/recorded_scores.hpp"
#include "support/small_run_in_time.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::UnitFeatures;
using test::Team;

namespace {

using Bins = core::TimeBins;

/// Stored features with a PCA that is fitted on others.
struct Unit : test::PlannedUnit {
    Unit(comm::Communicator& world, const std::string& folder, const core::Assembly& features,
         const core::Assembly& fitting, std::size_t components)
        : PlannedUnit(test::small_run(folder), "small") {
        if (world.rank() == 0) {
            io::write_assembly(folder + "/features.nc", features);
            io::write_assembly(folder + "/photos.nc", fitting);
            for (const char* part : {"/activations", "/grams"})
                std::filesystem::create_directory(folder + part);
        }
        world.barrier();
        run.models[0].pca = models::PcaRecord{components, "", {folder + "/photos.nc", ""}};
        planned.projection = pipeline::projection_key(run.models[0], "photos");
    }
};

/// A folder in the folder that all ranks use.
std::string part_of(comm::Communicator& world, const std::string& folder, const std::string& part) {
    if (world.rank() == 0) std::filesystem::create_directory(folder + part);
    world.barrier();
    return folder + part;
}

/// Largest difference, relative to the largest entry.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    double scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
        scale = std::max(scale, std::abs(b[i]));
    }
    return most / scale;
}

/// Of sums in another order, and of eigenvectors.
constexpr double rounding = 1e-10;
/// Averages of float32 over time bins are rounded to float32, those of projections are not.
constexpr double rounding_in_time = 1e-7;

/// Points (3, 4) t / 5 on a line, of one presentation after the other in one time bin after the
/// other, in bins of 50 ms.
core::Assembly on_a_line(std::size_t presentations, const std::vector<double>& places) {
    const std::size_t bins = places.size() / presentations;
    core::Assembly features;
    features.dims = {{"time_bin", bins}, {"presentation", presentations}, {"neuroid", 2}};
    std::vector<double> values;
    for (const double t : places) values.insert(values.end(), {0.6 * t, 0.8 * t});
    features.values = values;
    std::vector<std::string> ids;
    std::vector<double> starts, ends;
    for (std::size_t i = 0; i < presentations; ++i) ids.push_back("s" + std::to_string(i));
    for (std::size_t bin = 0; bin < bins; ++bin) {
        starts.push_back(50.0 * static_cast<double>(bin));
        ends.push_back(starts.back() + 50);
    }
    features.coordinates = {{"stimulus_id", "presentation", ids},
                            {"time_bin_start", "time_bin", starts},
                            {"time_bin_end", "time_bin", ends}};
    return bins > 1 ? features : core::squeeze(features, "time_bin");
}

/// The only component of all rows.
std::vector<double> component(UnitFeatures& features, const Bins& bins, std::size_t rows) {
    const auto columns = features.columns_of({pipeline::only_layer}, {}, bins);
    CHECK(columns.features() == 1);
    std::vector<std::size_t> all(rows);
    for (std::size_t row = 0; row < rows; ++row) all[row] = row;
    const auto read = columns.reader(all);
    const auto slab = read(0, 1);
    const auto values = std::get<std::span<const double>>(slab.values);
    return {values.begin(), values.end()};
}

void check_values(const std::vector<double>& values, const std::vector<double>& expected) {
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(values[i] == Approx(expected[i]).margin(1e-12));
}

}  // namespace

TEST_CASE("stored features are projected on components of the features of other images") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        // The images lie at −5, 1, 4 from their mean 5. The first has the largest part in the
        // component, which therefore points to it.
        Unit unit(world, folder, on_a_line(3, {5, 15, 4}), on_a_line(3, {0, 6, 9}), 1);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        check_values(component(features, {}, 3), {0, -10, 1});
    });
}

TEST_CASE("components are fitted on all time bins at once, and are the same in each") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        // Two images at 0 and 4 in the first bin, 2 and 10 in the second: −4, 0, −2, 6 from the
        // mean 4, the last the largest.
        Unit unit(world, folder, on_a_line(1, {10, 20}), on_a_line(2, {0, 4, 2, 10}), 1);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        check_values(component(features, {{0, 50}, {50, 100}}, 2), {6, 16});
        check_values(component(features, {{50, 100}}, 1), {16});
        // Half of the first bin and all of the second: (0.5 · 6 + 16) / 1.5.
        check_values(component(features, {{25, 100}}, 1), {19 / 1.5});
        CHECK_THROWS_WITH(component(features, {{50, 150}}, 1),
                          Catch::Contains("50 to 150 ms") && Catch::Contains("0 to 100 ms"));
    });
}

TEST_CASE("on all components of their own presentations stored features keep their Gram") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const std::vector<std::size_t> first = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        for (const bool changing : {false, true}) {
            const auto all = changing ? test::small_features_in_time() : test::small_features();
            const auto own = core::take(all, "presentation", first);
            const Bins bins = changing ? Bins{{0, 50}, {50, 125}} : Bins{};
            const double margin = changing ? rounding_in_time : rounding;
            const auto place = part_of(world, folder, changing ? "/changing" : "/still");
            Unit unit(world, place, own, own, 89);
            Team team(world, place);
            UnitFeatures projected(unit.planned, unit.inputs, team.context);
            auto plain = unit.planned;
            plain.projection.clear();
            UnitFeatures features(plain, unit.inputs, team.context);
            const auto gram = projected.gram_of({test::wide_layer}, {}, bins);
            CHECK(gram.features == (changing ? 60 : 10));  // a component a row of the ten
            CHECK(difference(test::products_of(gram), test::products_of(features.gram_of(
                                                          {test::wide_layer}, {}, bins))) < margin);
            // 30 features pass through, also beside others.
            CHECK(test::products_of(projected.gram_of({test::narrow_layer}, {}, bins)) ==
                  test::products_of(features.gram_of({test::narrow_layer}, {}, bins)));
            const config::LayerSet both = {test::narrow_layer, test::wide_layer};
            CHECK(difference(test::products_of(projected.gram_of(both, {}, bins)),
                             test::products_of(features.gram_of(both, {}, bins))) < margin);
            CHECK(projected.columns_of(both, {}, bins).features() == 30 + gram.features);
        }
    });
}

TEST_CASE("components of features that stay the same in time are those of one time bin") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto still = test::small_features();
        auto repeated = still;
        std::vector<float> values;
        for (const float value : std::get<std::vector<float>>(still.values))
            values.insert(values.end(), 3, value);
        repeated.values = values;
        repeated.dims.push_back({"time_bin", 3});
        repeated.coordinates.push_back(
            {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 50, 100}});
        repeated.coordinates.push_back(
            {"time_bin_end", "time_bin", std::vector<std::int64_t>{50, 100, 150}});
        const auto gram_of = [&](const core::Assembly& features, const std::string& part,
                                 const Bins& bins) {
            const auto own = part_of(world, folder, part);
            Unit unit(world, own, features, core::take(features, "presentation", {3, 7, 8, 20}), 3);
            Team team(world, own);
            return test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                         .gram_of({test::wide_layer}, {}, bins));
        };
        CHECK(difference(gram_of(repeated, "/repeated", {{50, 150}}),
                         gram_of(still, "/still", {})) < rounding);
    });
}

TEST_CASE("projections of stored features are kept, with the same bits on any number of ranks") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto all = test::small_features_in_time();
        const Bins bins = {{0, 50}, {50, 100}};
        Unit unit(world, folder, all, core::take(all, "presentation", {1, 5, 6}), 12);
        Team team(world, folder, 2);
        const std::string layer = test::wide_layer;
        const auto kernel = test::products_of(
            UnitFeatures(unit.planned, unit.inputs, team.context).gram_of({layer}, {}, bins));
        world.barrier();
        if (world.rank() == 0) {
            const auto alone = comm::make_serial();
            const auto apart = folder + "/alone";
            for (const char* part : {"", "/activations", "/grams"})
                std::filesystem::create_directory(apart + part);
            Team one(*alone, apart);
            CHECK(test::products_of(UnitFeatures(unit.planned, unit.inputs, one.context)
                                        .gram_of({layer}, {}, bins)) == kernel);
            CHECK(test::files_in(folder + "/activations").size() == 1);
            std::filesystem::remove(folder + "/photos.nc");
            std::filesystem::remove_all(folder + "/grams");
            std::filesystem::create_directory(folder + "/grams");
        }
        world.barrier();
        CHECK(test::products_of(UnitFeatures(unit.planned, unit.inputs, team.context)
                                    .gram_of({layer}, {}, bins)) == kernel);
    });
}

TEST_CASE("a projection stays while it is in use, and goes with the budget afterwards") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Unit unit(world, folder, on_a_line(3, {5, 15, 4}), on_a_line(3, {0, 6, 9}), 1);
        Team team(world, folder);
        const auto activations = folder + "/activations";
        pipeline::ActivationsBudget budget(activations, 0, 1);
        team.context.activations_budget = &budget;
        // As another shard does after each of its units.
        const auto evict = [&] {
            world.barrier();
            if (world.rank() == 0) pipeline::keep_within_budget(activations, 0);
            world.barrier();
            const bool is_empty = std::filesystem::is_empty(activations);
            world.barrier();
            return is_empty;
        };
        UnitFeatures made(unit.planned, unit.inputs, team.context);
        check_values(component(made, {}, 3), {0, -10, 1});
        CHECK_FALSE(evict());
        UnitFeatures found(unit.planned, unit.inputs, team.context);
        check_values(component(found, {}, 3), {0, -10, 1});
        made.discard_activations();
        CHECK_FALSE(evict());
        found.discard_activations();
        CHECK(evict());
        check_values(component(made, {}, 3), {0, -10, 1});
    });
}

TEST_CASE("a PCA that stored features cannot have names its model, layer and file") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Unit unit(world, folder, on_a_line(2, {1, 2}), on_a_line(1, {1}), 1);
        Team team(world, folder);
        UnitFeatures features(unit.planned, unit.inputs, team.context);
        CHECK_THROWS_WITH(features.gram_of({pipeline::only_layer}, {}),
                          Catch::Contains("stored.toml: layer 'features', [pca] on " + folder +
                                          "/photos.nc: a PCA needs two images"));
    });
}

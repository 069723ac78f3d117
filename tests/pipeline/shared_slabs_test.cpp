#include "pipeline/fit/shared_slabs.hpp"

#include <optional>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::FeatureSource;
using pipeline::SharedSlabs;
using test::Team;

namespace {

constexpr std::size_t rows = 3;
constexpr std::size_t features = 10 * stats::slab_features + 5;  // two groups and a half

float entry(std::size_t row, std::size_t feature) {
    return static_cast<float>(row * 10000 + feature);
}

core::Assembly table() {
    std::vector<float> values;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < features; ++j) values.push_back(entry(i, j));
    core::Assembly assembly;
    assembly.dims = {{"presentation", rows}, {"neuroid", features}};
    assembly.values = std::move(values);
    return assembly;
}

bool has_columns(const stats::FeatureMatrix& slab, std::size_t first, std::size_t count) {
    const auto values = std::get<std::span<const float>>(slab.values);
    if (slab.rows != rows || slab.features != count) return false;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < count; ++j)
            if (values[i * slab.stride + j] != entry(i, first + j)) return false;
    return true;
}

}  // namespace

TEST_CASE("every rank sees the slabs in whatever order they are asked for") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto source_table = table();
        FeatureSource source;
        if (team.context.leads()) source = &source_table;
        const auto shape = pipeline::shared_shape(source, "layer", world);
        CHECK(shape.rows == rows);
        CHECK(shape.features == features);
        CHECK_FALSE(shape.doubles);
        SharedSlabs slabs(source, "layer", shape, team.context);
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t first = 0; first < features; first += stats::slab_features) {
                const auto count = std::min(stats::slab_features, features - first);
                CHECK(has_columns(slabs.read(first, count), first, count));
                world.barrier();
            }
            // Not the one that was read ahead.
            CHECK(has_columns(slabs.read(stats::slab_features, 7), stats::slab_features, 7));
            world.barrier();
        }
    });
}

TEST_CASE("a file of features gives the slabs of a layer that lies among others") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        // Every third column is of another layer.
        auto mixed = table();
        std::vector<std::string> layers(features, "layer");
        std::vector<std::size_t> places;
        for (std::size_t j = 0; j < features; ++j)
            if (j % 3 == 1)
                layers[j] = "other";
            else
                places.push_back(j);
        mixed.coordinates = {{"layer", "neuroid", layers}};
        if (world.rank() == 0) io::write_assembly(folder + "/features.nc", mixed);
        world.barrier();
        Team team(world, folder);
        std::optional<pipeline::StoredFeatures> stored;
        FeatureSource source;
        if (team.context.leads()) source = &stored.emplace(folder + "/features.nc");
        const auto shape = pipeline::shared_shape(source, "layer", world);
        REQUIRE(shape.features == places.size());
        SharedSlabs slabs(source, "layer", shape, team.context);
        for (std::size_t first = 0; first < places.size(); first += stats::slab_features) {
            const auto count = std::min(stats::slab_features, places.size() - first);
            const auto slab = slabs.read(first, count);
            const auto values = std::get<std::span<const float>>(slab.values);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < count; ++j)
                    wrong += values[i * slab.stride + j] != entry(i, places[first + j]);
            CHECK(wrong == 0);
            world.barrier();
        }
    });
}

TEST_CASE("the last slab stays while the next one is on its way") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto source_table = table();
        FeatureSource source;
        if (team.context.leads()) source = &source_table;
        SharedSlabs slabs(source, "layer", pipeline::shared_shape(source, "layer", world),
                          team.context);
        const auto first = slabs.read(0, stats::slab_features);
        const auto at_once = slabs.at_once() * stats::slab_features;
        CHECK(slabs.at_once() == 4);
        CHECK(has_columns(first, 0, stats::slab_features));
        const auto second = slabs.read(at_once, stats::slab_features);
        CHECK(has_columns(second, at_once, stats::slab_features));
        CHECK(std::get<std::span<const float>>(first.values).data() !=
              std::get<std::span<const float>>(second.values).data());
        world.barrier();
    });
}

TEST_CASE("small slabs are read four at once, large ones alone") {
    CHECK(pipeline::slabs_at_once(1) == 4);
    CHECK(pipeline::slabs_at_once(5 << 20) == 4);
    CHECK(pipeline::slabs_at_once((5 << 20) + 1) == 3);
    CHECK(pipeline::slabs_at_once(21 << 20) == 1);
}

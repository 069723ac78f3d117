#include "pipeline/fit/feature_columns.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "support/small_run.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

TEST_CASE("columns run from one layer into the next, in the order of rows that is asked for") {
    const test::TemporaryFolder folder;
    test::write_small_data(folder.path().string());
    const auto features = test::small_features();
    const auto narrow = core::as_float64(pipeline::stored_layer(features, "narrow").values);
    const auto wide = core::as_float64(pipeline::stored_layer(features, "wide").values);
    const std::string file = folder.path().string() + "/features.nc";
    const pipeline::FeatureColumns columns({{file, "narrow", true, 30}, {file, "wide", true, 90}});
    CHECK(columns.features() == 120);

    const auto read = columns.reader({5, 0, 5});
    const auto slab = read(28, 4);
    const auto values = std::get<std::span<const double>>(slab.values);
    CHECK(slab.rows == 3);
    CHECK(slab.features == 4);
    for (const std::size_t i : {0, 2}) {
        CHECK(values[i * 4] == narrow[5 * 30 + 28]);
        CHECK(values[i * 4 + 1] == narrow[5 * 30 + 29]);
        CHECK(values[i * 4 + 2] == wide[5 * 90]);
        CHECK(values[i * 4 + 3] == wide[5 * 90 + 1]);
    }
    CHECK(values[4] == narrow[28]);

    SECTION("the last slab stays valid while the next is read") {
        const double before = values[0];
        read(0, 120);
        CHECK(values[0] == before);
    }
}

TEST_CASE("a file that is not there is named when it is read") {
    const pipeline::FeatureColumns columns({{"/nowhere/a.h5", "x", false, 3}});
    CHECK_THROWS_WITH(columns.reader({0})(0, 3), Catch::Matchers::Contains("/nowhere/a.h5"));
}

TEST_CASE("activations and projections that are gone may be there again, a model's features not") {
    const pipeline::FeatureColumns activations({{"/nowhere/a.h5", "x", false, 3}});
    CHECK_THROWS_AS(activations.reader({0})(0, 3), core::OutputError);
    const pipeline::LayerColumns stored{"/nowhere/a.nc", "x", true, 3};
    const pipeline::FeatureColumns projection({stored}, {"features.nc"});
    CHECK_THROWS_AS(projection.reader({0})(0, 3), core::OutputError);
    try {
        pipeline::FeatureColumns({stored}, {stored.path}).reader({0})(0, 3);
        FAIL("features that are not there were read");
    } catch (const core::InputError& error) {
        CHECK(core::failure_class_of(error) == core::FailureClass::deterministic);
    }
}

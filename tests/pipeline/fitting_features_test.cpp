#include "pipeline/inputs/fitting_features.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "support/small_run_in_time.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using pipeline::check_fitting;

namespace {

/// Others than the model's, of the same layers.
core::Assembly fitting() {
    auto features = core::take(test::small_features(), "presentation", {4, 9, 17});
    features.name = "photos.nc";
    return features;
}

core::Assembly named(core::Assembly features, const std::string& prefix) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < features.dims[1].size; ++j)
        names.push_back(prefix + std::to_string(j));
    features.coordinates.push_back({"neuroid_id", "neuroid", names});
    return features;
}

}  // namespace

TEST_CASE("features of other images are fit for a PCA if their layer is the same") {
    CHECK_NOTHROW(check_fitting(fitting(), test::small_features(), test::wide_layer));
    CHECK_NOTHROW(check_fitting(named(fitting(), "n"), test::small_features(), test::wide_layer));
    CHECK_NOTHROW(
        check_fitting(named(fitting(), "n"), named(test::small_features(), "n"), test::wide_layer));
    CHECK(pipeline::rows_in_time(fitting()) == 3);
}

TEST_CASE("a layer that is not there, or of other features, is told") {
    const auto features = test::small_features();
    CHECK_THROWS_WITH(
        check_fitting(core::take(fitting(), "neuroid", {0, 1}), features, test::wide_layer),
        Catch::StartsWith("photos.nc: the stored features have no layer 'wide'"));
    std::vector<std::size_t> fewer(119);
    for (std::size_t j = 0; j < fewer.size(); ++j) fewer[j] = j;
    CHECK_THROWS_WITH(
        check_fitting(core::take(fitting(), "neuroid", fewer), features, test::wide_layer),
        Catch::StartsWith("photos.nc: layer 'wide' has 89 features, but 90 in data"));
    // Feature 0 of the wide layer is number 30 of all.
    CHECK_THROWS_WITH(
        check_fitting(named(fitting(), "m"), named(features, "n"), test::wide_layer),
        Catch::StartsWith("photos.nc: layer 'wide' has the neuroid 'm30' where data has 'n30'"));
}

TEST_CASE("features in time are fitted on features in the same time bins") {
    const auto features = test::small_features_in_time();
    auto photos = core::take(features, "presentation", {1, 2});
    photos.name = "photos.nc";
    CHECK_NOTHROW(check_fitting(photos, features, test::wide_layer));
    CHECK(pipeline::rows_in_time(photos) == 2 * 6);
    CHECK(pipeline::own_time_bins(photos).at(5) == core::TimeBin{125, 150});
    const auto differ = Catch::StartsWith("photos.nc: its time bins are not those of data");
    CHECK_THROWS_WITH(
        check_fitting(core::take(photos, "time_bin", {0, 1}), features, test::wide_layer), differ);
    CHECK_THROWS_WITH(check_fitting(fitting(), features, test::wide_layer), differ);
    CHECK_THROWS_WITH(check_fitting(photos, test::small_features(), test::wide_layer), differ);
}

TEST_CASE("the features that a record names are read, by the variable that it names") {
    const test::TemporaryFolder folder;
    models::ModelRecord model;
    model.pca = models::PcaRecord{10, "", {folder.file("photos.nc"), ""}};
    CHECK_THROWS_WITH(pipeline::open_fitting(model), Catch::Contains("photos.nc: no such file"));
    io::write_assembly(folder.file("photos.nc"), fitting());
    CHECK(pipeline::open_fitting(model).labels().dims[0].size == 3);
    model.pca->features.variable = "rates";
    CHECK_THROWS_AS(pipeline::open_fitting(model), core::InputError);
}

#include "pipeline/fit/layer_gram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

#include <catch2/catch.hpp>

#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/fit/gram_checkpoint.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "support/gram_products.hpp"
#include "support/small_run.hpp"
#include "support/team.hpp"

using namespace ventral;
using pipeline::LayerGram;
using test::Team;

namespace {

/// Entries up to 90: a product of 90 terms in double, added in any order.
constexpr double rounding = 90 * 90 * std::numeric_limits<double>::epsilon();

core::Assembly layer(const std::string& name) {
    return pipeline::stored_layer(test::small_features(), name);
}

/// The Gram of features, which the first rank alone has.
LayerGram make(const core::Assembly& features, const std::string& name, const std::string& key,
               Team& team, const pipeline::FeatureNames& names = {}) {
    pipeline::FeatureSource source;
    if (team.context.leads()) source = &features;
    return pipeline::make_gram(source, name, key, team.context, names);
}

LayerGram make(const std::string& name, Team& team) { return make(layer(name), name, name, team); }

/// Features minus their means, row by row.
std::vector<double> centred(const core::Assembly& features) {
    auto values = core::as_float64(features.values);
    const std::size_t n = features.dims[0].size;
    const std::size_t p = features.dims[1].size;
    for (std::size_t j = 0; j < p; ++j) {
        double mean = 0;
        for (std::size_t i = 0; i < n; ++i) mean += values[i * p + j] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) values[i * p + j] -= mean;
    }
    return values;
}

/// Ten features of the small run's forty stimuli.
core::Assembly few_features() {
    std::vector<std::size_t> ten(10);
    std::iota(ten.begin(), ten.end(), std::size_t{3});
    return core::take(layer(test::narrow_layer), "neuroid", ten);
}

double plain_product(const core::Assembly& features, std::size_t a, std::size_t b) {
    const auto values = core::as_float64(features.values);
    const std::size_t p = features.dims[1].size;
    return std::inner_product(values.begin() + static_cast<std::ptrdiff_t>(a * p),
                              values.begin() + static_cast<std::ptrdiff_t>((a + 1) * p),
                              values.begin() + static_cast<std::ptrdiff_t>(b * p), 0.0);
}

/// The largest distance of K from the products of the rows of the centred features.
double distance(const LayerGram& gram, const core::Assembly& features) {
    const auto rows = centred(features);
    const std::size_t n = features.dims[0].size;
    const std::size_t p = features.dims[1].size;
    REQUIRE(gram.rows == n);
    REQUIRE(gram.features == p);
    const auto products = test::products_of(gram);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            double product = 0;
            for (std::size_t j = 0; j < p; ++j) product += rows[i * p + j] * rows[k * p + j];
            largest = std::max(largest, std::abs(product - products[i * n + k]));
        }
    return largest;
}

double centred_distance(const LayerGram& gram, const core::Assembly& features) {
    const auto rows = centred(features);
    REQUIRE(gram.reduced.size() == rows.size());
    double largest = 0;
    for (std::size_t i = 0; i < gram.rows; ++i)
        for (std::size_t j = 0; j < gram.features; ++j)
            largest = std::max(
                largest, std::abs(rows[i * gram.features + j] - gram.reduced[j * gram.rows + i]));
    return largest;
}

bool same(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

TEST_CASE("the Gram of a layer is the product of its centred features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder, 2);
        for (const auto& name : {test::narrow_layer, test::wide_layer})
            CHECK(distance(make(name, team), layer(name)) < rounding);
    });
}

TEST_CASE("fewer features than rows are kept themselves, centred") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto narrow = make(test::narrow_layer, team);
        CHECK(centred_distance(narrow, layer(test::narrow_layer)) < rounding);
        CHECK(pipeline::forms_of(narrow).reduced.available());
        const auto wide = make(test::wide_layer, team);
        CHECK(wide.reduced.empty());
        CHECK_FALSE(pipeline::forms_of(wide).reduced.available());
        CHECK(pipeline::forms_of(wide).features == 90);
    });
}

TEST_CASE("few features stand for their Gram, on any ranks and in their checkpoint") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto serial = comm::make_serial();
        Team alone(*serial, folder + "/alone");
        alone.context.kept.grams = pipeline::Keep::discard;
        const auto expected = make(few_features(), "few", "few", alone);
        Team team(world, folder, 2);
        const auto gram = make(few_features(), "few", "few", team);
        CHECK(gram.kernel.empty());
        CHECK(distance(gram, few_features()) < rounding);
        CHECK(same(gram.reduced, expected.reduced));
        CHECK(gram.sums.centred_times_mean == expected.sums.centred_times_mean);
        CHECK(gram.sums.mean_squared == expected.sums.mean_squared);
        const auto loaded = pipeline::load_gram("few", team.context);
        REQUIRE(loaded.has_value());
        CHECK(loaded->kernel.empty());
        CHECK(same(loaded->reduced, gram.reduced));
        CHECK(loaded->sums.row_sums == gram.sums.row_sums);
        CHECK(loaded->sums.row_extremes == gram.sums.row_extremes);
    });
}

TEST_CASE("few features are multiplied once they are too many, or their rows too few") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        // 10 + 30 of 40 rows.
        auto sum = make(few_features(), "few", "few", team);
        pipeline::add_gram(sum, make(test::narrow_layer, team), team.context);
        const auto features = layer(test::narrow_layer);
        std::vector<std::size_t> both(40);
        std::iota(both.begin(), both.begin() + 10, std::size_t{3});
        std::iota(both.begin() + 10, both.end(), std::size_t{0});
        CHECK_FALSE(sum.kernel.empty());
        CHECK(distance(sum, core::take(features, "neuroid", both)) < rounding);
        // 10 features of 30 rows, and of 19.
        const auto gram = make(few_features(), "few", "few", team);
        const auto whole = test::products_of(gram);
        std::vector<std::size_t> rows(30);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = (7 * i) % 40;
        for (const std::size_t count : {30U, 19U}) {
            rows.resize(count);
            const auto part = pipeline::gather_rows(gram, rows, team.context);
            CHECK(part.kernel.empty() == (count == 30));
            CHECK(part.reduced.size() == count * 10);
            const auto found = test::products_of(part);
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < count; ++j) {
                    CHECK(std::abs(found[i * count + j] - whole[rows[i] * 40 + rows[j]]) <
                          rounding);
                    // With what the centring took away these are products of features as they are.
                    const double plain = found[i * count + j] + part.sums.centred_times_mean[i] +
                                         part.sums.centred_times_mean[j] + part.sums.mean_squared;
                    CHECK(std::abs(plain - plain_product(few_features(), rows[i], rows[j])) <
                          rounding);
                }
        }
    });
}

TEST_CASE("ranks and threads change no bit of a Gram") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto serial = comm::make_serial();
        for (const auto& name : {test::narrow_layer, test::wide_layer}) {
            Team alone(*serial, folder + "/alone");
            alone.context.kept.grams = pipeline::Keep::discard;
            const auto expected = make(name, alone);
            Team team(world, folder, 3);
            const auto gram = make(name, team);
            CHECK(same(gram.kernel, expected.kernel));
            CHECK(same(gram.reduced, expected.reduced));
        }
    });
}

TEST_CASE("a checkpoint gives the Gram back bit for bit") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        for (const auto& name : {test::narrow_layer, test::wide_layer}) {
            CHECK_FALSE(pipeline::load_gram(name, team.context).has_value());
            const auto gram = make(name, team);
            const auto loaded = pipeline::load_gram(name, team.context);
            REQUIRE(loaded.has_value());
            CHECK(loaded->features == gram.features);
            CHECK(same(loaded->kernel, gram.kernel));
            CHECK(same(loaded->reduced, gram.reduced));
        }
    });
}

TEST_CASE("a damaged checkpoint is none, and is written again") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        make(test::narrow_layer, team);
        const auto path = pipeline::gram_path(folder, test::narrow_layer);
        if (team.context.leads()) {
            std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(-200, std::ios::end);
            file << std::string(100, '?');
        }
        world.barrier();
        CHECK_FALSE(pipeline::load_gram(test::narrow_layer, team.context).has_value());
        make(test::narrow_layer, team);
        CHECK(pipeline::load_gram(test::narrow_layer, team.context).has_value());
    });
}

TEST_CASE("Grams that are to be discarded leave no file") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        team.context.kept.grams = pipeline::Keep::discard;
        make(test::wide_layer, team);
        CHECK_FALSE(pipeline::load_gram(test::wide_layer, team.context).has_value());
    });
}

TEST_CASE("the Gram of concatenated layers is that of the concatenated features") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        auto sum = make(test::narrow_layer, team);
        pipeline::add_gram(sum, make(test::wide_layer, team), team.context);
        // Narrow and wide are all features, in this order.
        CHECK(distance(sum, test::small_features()) < rounding);
        CHECK(sum.reduced.empty());
    });
}

TEST_CASE("concatenated layers that stay narrow keep their centred features in order") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        const auto features = layer(test::narrow_layer);
        const auto first = core::take(features, "neuroid", {0, 1, 2, 3, 4});
        const auto second = core::take(features, "neuroid", {5, 6, 7});
        Team team(world, folder);
        auto sum = make(first, "first", "first", team);
        pipeline::add_gram(sum, make(second, "second", "second", team), team.context);
        const auto both = core::take(features, "neuroid", {0, 1, 2, 3, 4, 5, 6, 7});
        CHECK(distance(sum, both) < rounding);
        CHECK(centred_distance(sum, both) < rounding);
    });
}

TEST_CASE("rows of a Gram are gathered in any order, also repeatedly") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        const auto gram = make(test::narrow_layer, team);
        const std::vector<std::size_t> rows = {7, 0, 7, 39, 12};
        const auto part = pipeline::gather_rows(gram, rows, team.context);
        REQUIRE(part.rows == 5);
        REQUIRE(part.reduced.size() == 5 * 30);
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t k = 0; k < 5; ++k)
                CHECK(part.kernel[i * 5 + k] == gram.kernel[rows[i] * 40 + rows[k]]);
            for (std::size_t j = 0; j < 30; ++j)
                CHECK(part.reduced[j * 5 + i] == gram.reduced[j * 40 + rows[i]]);
        }
    });
}

TEST_CASE("features that are no finite numbers fail on every rank, with all that names them") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        auto features = layer(test::wide_layer);
        auto& values = std::get<std::vector<float>>(features.values);
        values[2 * 90 + 5] = std::nanf("");
        CHECK_THROWS_WITH(
            make(features, "bad", "bad", team, {"bad.nc", core::texts(features, "stimulus_id")}),
            Catch::Contains("bad.nc: layer 'bad': feature 5 is NaN at stimulus 's37' "));
        CHECK_FALSE(pipeline::load_gram("bad", team.context).has_value());
        const std::vector<std::string> labels(90, "of the layer");
        features.coordinates.push_back({"neuroid_id", "neuroid", labels});
        CHECK_THROWS_WITH(make(features, "bad", "bad", team),
                          Catch::Contains("feature 5 'of the layer' is NaN at stimulus number 3 "));
        features.values = std::vector<double>(test::small_stimuli * 90, 0.0);
        std::get<std::vector<double>>(features.values)[7] = 1e200;
        CHECK_THROWS_WITH(make(features, "bad", "bad", team), Catch::Contains("so large"));
    });
}

TEST_CASE("float64 features keep their digits") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        auto features = layer(test::narrow_layer);
        auto values = core::as_float64(features.values);
        for (double& value : values) value += 1e-10 * value * value;
        features.values = values;
        CHECK(centred_distance(make(features, "exact", "exact", team), features) < 1e-14);
    });
}

TEST_CASE("the features of a wide layer can be had in a small form, on every rank") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) test::write_small_data(folder);
        world.barrier();
        Team team(world, folder);
        auto gram = make(test::wide_layer, team);
        const pipeline::FeatureColumns columns(
            {{folder + "/features.nc", test::wide_layer, true, gram.features}});
        pipeline::make_reduced(gram, columns, team.context);
        const auto forms = pipeline::forms_of(gram);
        REQUIRE(forms.reduced.available());
        const auto& reduced = forms.reduced.matrix();
        CHECK(reduced.cols() == static_cast<Eigen::Index>(gram.rows));
        const stats::Matrix product = reduced * reduced.transpose();
        for (std::size_t i = 0; i < gram.kernel.size(); ++i)
            CHECK(std::abs(product.data()[i] - gram.kernel[i]) < rounding);
        world.barrier();
    });
}

TEST_CASE("features that cannot be read again are an error on all ranks") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        Team team(world, folder);
        auto gram = make(test::wide_layer, team);
        const pipeline::FeatureColumns columns(
            {{folder + "/absent.h5", test::wide_layer, false, gram.features}});
        CHECK_THROWS_WITH(pipeline::make_reduced(gram, columns, team.context),
                          Catch::Matchers::Contains("absent.h5"));
    });
}

TEST_CASE("features that have changed while they were reduced leave the Gram as it was") {
    const test::TemporaryFolder folder;
    const auto serial = comm::make_serial();
    io::write_assembly(folder.file("features.nc"), test::small_features());
    Team team(*serial, folder.path().string());
    auto gram = make(test::wide_layer, team);
    const pipeline::FeatureColumns columns(
        {{folder.file("features.nc"), test::wide_layer, true, gram.features}});
    const auto changed = [] { throw core::TransientError("features.nc was changed"); };
    CHECK_THROWS_AS(pipeline::make_reduced(gram, columns, team.context, changed),
                    core::TransientError);
    CHECK(gram.reduced.empty());
    pipeline::make_reduced(gram, columns, team.context);
    CHECK_FALSE(gram.reduced.empty());
}

TEST_CASE("features that have become infinite since the Gram was made are an error on all ranks") {
    test::on_ranks_in_folder([](comm::Communicator& world, const std::string& folder) {
        if (world.rank() == 0) {
            auto features = test::small_features();
            auto& values = std::get<std::vector<float>>(features.values);
            std::fill_n(values.begin() + 3 * static_cast<long>(features.dims[1].size),
                        features.dims[1].size, std::numeric_limits<float>::infinity());
            io::write_assembly(folder + "/features.nc", features);
        }
        world.barrier();
        Team team(world, folder);
        auto gram = make(test::wide_layer, team);
        const pipeline::FeatureColumns columns(
            {{folder + "/features.nc", test::wide_layer, true, gram.features}});
        const auto reduce = [&] { pipeline::make_reduced(gram, columns, team.context); };
        if (world.size() > 1)
            CHECK_THROWS_AS(reduce(), comm::CollectiveError);
        else
            CHECK_THROWS_AS(reduce(), core::InputError);
        CHECK(gram.reduced.empty());
        world.barrier();
    });
}

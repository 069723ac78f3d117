#include "pipeline/inputs/stored_features.hpp"

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/assemblies_writer.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;

namespace {

/// Value 10 presentation + neuroid; layers in the order relu, conv, relu.
core::Assembly features() {
    core::Assembly assembly;
    assembly.dims = {{"presentation", 2}, {"neuroid", 3}};
    assembly.values = std::vector<float>{0, 1, 2, 10, 11, 12};
    assembly.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t"}},
                            {"layer", "neuroid", std::vector<std::string>{"relu", "conv", "relu"}}};
    return assembly;
}

}  // namespace

TEST_CASE("the layers are those of the neuroids, in order of appearance") {
    CHECK(pipeline::stored_layers(features()) == std::vector<std::string>{"relu", "conv"});
}

TEST_CASE("a layer is its columns, presentation by presentation") {
    const auto relu = pipeline::stored_layer(features(), "relu");
    CHECK(core::as_float64(relu.values) == std::vector<double>{0, 2, 10, 12});
    CHECK(core::texts(relu, "stimulus_id") == std::vector<std::string>{"s", "t"});
    const auto turned = core::transpose(features(), {"neuroid", "presentation"});
    CHECK(pipeline::stored_layer(turned, "relu").values == relu.values);
}

TEST_CASE("a file gives a layer's features by columns") {
    // 400 neuroids: two layers in turn, then a long stretch of one, and some of the other.
    core::Assembly all;
    all.dims = {{"presentation", 3}, {"neuroid", 400}};
    std::vector<std::string> layers(400, "long");
    for (std::size_t j = 0; j < 400; ++j)
        if ((j < 40 && j % 2 == 1) || j > 390) layers[j] = "short";
    all.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t", "u"}},
                       {"layer", "neuroid", layers},
                       {"neuroid_id", "neuroid", layers},
                       {"channel", "neuroid", std::vector<std::int64_t>(400, 7)}};
    const auto check = [&](const auto& value, bool turned) {
        using Value = std::decay_t<decltype(value)>;
        std::vector<Value> values;
        for (int i = 0; i < 1200; ++i) values.push_back(static_cast<Value>(i) / 8 + value);
        all.values = values;
        const test::TemporaryFolder folder;
        const auto path = folder.file("features.nc");
        io::write_assembly(path, turned ? core::transpose(all, {"neuroid", "presentation"}) : all);
        const pipeline::StoredFeatures stored(path);
        CHECK_FALSE(stored.is_whole());
        CHECK(stored.labels().name == path);
        CHECK(stored.labels().values == core::Values(std::vector<Value>{}));
        CHECK(pipeline::stored_layers(stored.labels()) ==
              std::vector<std::string>{"long", "short"});
        CHECK(core::find_coordinate(stored.labels(), "neuroid_id"));
        CHECK_FALSE(core::find_coordinate(stored.labels(), "channel"));
        CHECK(stored.reading_bytes() > 0);
        for (const char* layer : {"short", "long"}) {
            const auto expected = pipeline::stored_layer(all, layer);
            const auto& of_layer = std::get<std::vector<Value>>(expected.values);
            const std::size_t width = expected.dims[1].size;
            for (const auto& [first, count] :
                 std::vector<std::pair<std::size_t, std::size_t>>{{0, width}, {3, 9}, {20, 6}}) {
                std::vector<Value> out(3 * count);
                stored.read_columns(layer, first, count, std::span(out));
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < count; ++j)
                        CHECK(out[i * count + j] == of_layer[i * width + first + j]);
            }
        }
    };
    check(0.5F, false);
    check(0.5F, true);
    check(0.1, false);
}

TEST_CASE("what changes in time, or is of whole numbers, is read whole") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("features.nc");
    auto whole = features();
    whole.values = std::vector<std::int64_t>{0, 1, 2, 10, 11, 12};
    io::write_assembly(path, whole);
    CHECK(pipeline::StoredFeatures(path).is_whole());
    CHECK(pipeline::StoredFeatures(path).labels().values ==
          core::Values(std::vector<double>{0, 1, 2, 10, 11, 12}));
    whole.values = std::vector<std::string>(6, "seven");
    io::write_assembly(path, whole);
    CHECK_THROWS_WITH(pipeline::StoredFeatures(path),
                      Catch::EndsWith("features.nc: the features are texts (numbers are needed)"));
    auto timed = features();
    timed.dims.push_back({"time_bin", 2});
    timed.values = std::vector<float>(12, 1);
    io::write_assembly(path, timed);
    CHECK(pipeline::StoredFeatures(path).is_whole());
    CHECK(pipeline::change_in_time(pipeline::StoredFeatures(path).labels()));
    // One bin is none.
    io::write_assembly(path, core::take(timed, "time_bin", {0}));
    CHECK_FALSE(pipeline::StoredFeatures(path).is_whole());
    CHECK_THROWS_WITH(pipeline::StoredFeatures(folder.file("absent.nc")),
                      Catch::Contains("absent.nc"));
}

namespace {

/// A file of activations of the layers "wide" (5000 neuroids) and "logits" (3) for two stimuli;
/// value neuroid + presentation / 2, and of logits that minus 1.
std::vector<core::Assembly> two_layers() {
    std::vector<core::Assembly> layers;
    for (const std::size_t neuroids : {5000, 3}) {
        core::Assembly layer;
        layer.name = neuroids == 3 ? "logits" : "wide";
        layer.dims = {{"presentation", 2}, {"neuroid", neuroids}};
        std::vector<float> values;
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < neuroids; ++j)
                values.push_back(static_cast<float>(j) + static_cast<float>(i) / 2 -
                                 static_cast<float>(neuroids == 3));
        layer.values = values;
        layer.coordinates = {{"stimulus_id", "presentation", std::vector<std::string>{"s", "t"}}};
        layers.push_back(layer);
    }
    return layers;
}

void write_layers(const std::string& path, const std::vector<core::Assembly>& layers) {
    io::AssembliesWriter writer(path);
    for (const auto& layer : layers) writer.add(layer);
    writer.commit();
}

}  // namespace

TEST_CASE("the layers of a file of activations are those of stored features") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    write_layers(path, two_layers());
    const pipeline::StoredFeatures stored(path);
    CHECK_FALSE(stored.is_whole());
    CHECK(stored.labels().name == path);
    CHECK(pipeline::stored_layers(stored.labels()) == std::vector<std::string>{"wide", "logits"});
    CHECK(pipeline::stored_layer_size(stored.labels(), "wide") == 5000);
    CHECK(core::texts(stored.labels(), "stimulus_id") == std::vector<std::string>{"s", "t"});
    std::vector<float> out(4);
    stored.read_columns("wide", 4998, 2, std::span(out));
    CHECK(out == std::vector<float>{4998, 4999, 4998.5F, 4999.5F});
    stored.read_columns("logits", 1, 2, std::span(out));
    CHECK(out == std::vector<float>{0, 1, 0.5F, 1.5F});
    CHECK(stored.kept_bytes() > 0);
    CHECK(stored.reading_bytes() < std::size_t{1} << 20);
}

TEST_CASE("activations that change in time are read as a whole") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    auto layers = two_layers();
    for (auto& layer : layers) {
        layer.dims.insert(layer.dims.begin() + 1, {"time_bin", 2});
        auto& values = std::get<std::vector<float>>(layer.values);
        values.insert(values.end(), values.begin(), values.end());
    }
    write_layers(path, layers);
    const pipeline::StoredFeatures stored(path);
    CHECK(stored.is_whole());
    CHECK(pipeline::change_in_time(stored.labels()));
    CHECK(pipeline::stored_layer_size(stored.labels(), "logits") == 3);
}

TEST_CASE("a layer that is not read by columns beside one that is, is refused and named") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    auto layers = two_layers();
    layers[1].values = std::vector<std::int64_t>(6, 1);
    write_layers(path, layers);
    CHECK_THROWS_WITH(pipeline::StoredFeatures(path),
                      Catch::StartsWith(path) && Catch::Contains("'wide' and 'logits'"));
    layers = two_layers();
    layers[1].dims.insert(layers[1].dims.begin() + 1, {"time_bin", 2});
    layers[1].values = std::vector<float>(12, 1);
    write_layers(path, layers);
    CHECK_THROWS_WITH(pipeline::StoredFeatures(path),
                      Catch::StartsWith(path) && Catch::Contains("2 time bins"));
}

TEST_CASE("a wide layer of float64 may stand behind another") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    auto layers = two_layers();
    for (auto& layer : layers) layer.values = core::as_float64(layer.values);
    std::swap(layers[0], layers[1]);
    write_layers(path, layers);
    const pipeline::StoredFeatures stored(path);
    CHECK(pipeline::stored_layers(stored.labels()) == std::vector<std::string>{"logits", "wide"});
    std::vector<double> out(4);
    for (const std::size_t first : {0, 4095, 4998}) {
        const auto value = static_cast<double>(first);
        stored.read_columns("wide", first, 2, std::span(out));
        CHECK(out == std::vector<double>{value, value + 1, value + 0.5, value + 1.5});
    }
}

TEST_CASE("activations whose layers are of other stimuli are refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("activations.h5");
    auto layers = two_layers();
    layers[1].coordinates[0].values = std::vector<std::string>{"t", "s"};
    write_layers(path, layers);
    CHECK_THROWS_WITH(pipeline::StoredFeatures(path),
                      Catch::StartsWith(path) && Catch::Contains("'wide' and 'logits'"));
}

TEST_CASE("a layer that changes in time is averaged into each bin, bin after bin") {
    // Bins 0–10, 10–20 and 20–40 ms; the value is 100 bin + 10 presentation + neuroid.
    core::Assembly timed = features();
    timed.dims.push_back({"time_bin", 3});
    timed.values = std::vector<float>{0,  100, 200, 1,  101, 201, 2,  102, 202,
                                      10, 110, 210, 11, 111, 211, 12, 112, 212};
    timed.coordinates.push_back(
        {"time_bin_start", "time_bin", std::vector<std::int64_t>{0, 10, 20}});
    timed.coordinates.push_back(
        {"time_bin_end", "time_bin", std::vector<std::int64_t>{10, 20, 40}});
    CHECK(pipeline::change_in_time(timed));
    CHECK_FALSE(pipeline::change_in_time(features()));
    CHECK_FALSE(pipeline::change_in_time(core::take(timed, "time_bin", {1})));
    CHECK(pipeline::stored_layer_size(timed, "relu") == 2);
    // 10–40 ms: the second bin whole and the third whole, each of weight 1; then 0–10 ms.
    const auto relu = pipeline::stored_layer(timed, "relu", {{10, 40}, {0, 10}});
    CHECK(core::as_float64(relu.values) == std::vector<double>{150, 152, 160, 162, 0, 2, 10, 12});
    CHECK(core::texts(relu, "stimulus_id") == std::vector<std::string>{"s", "t", "s", "t"});
    const auto own = pipeline::stored_layer(timed, "relu", {});
    CHECK(core::as_float64(own.values) ==
          std::vector<double>{0, 2, 10, 12, 100, 102, 110, 112, 200, 202, 210, 212});
    CHECK(pipeline::own_time_bins(timed) == core::TimeBins{{0, 10}, {10, 20}, {20, 40}});
    CHECK(pipeline::own_time_bins(features()).empty());
    CHECK(pipeline::rows_in_time(timed) == 6);
    CHECK_THROWS_WITH(pipeline::stored_layer(timed, "relu", {{10, 50}}),
                      Catch::Contains("10 to 50 ms"));
    CHECK_THROWS_AS(pipeline::stored_layer(timed, "relu"), core::InputError);
}

TEST_CASE("features of other dimensions are refused when they are opened") {
    const test::TemporaryFolder folder;
    const auto problem_of = [&](const std::vector<core::Dimension>& dims) {
        core::Assembly features;
        features.dims = dims;
        features.values = std::vector<double>(8, 1.0);
        io::write_assembly(folder.file("f.nc"), features);
        try {
            const pipeline::StoredFeatures opened(folder.file("f.nc"));
        } catch (const core::InputError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK(problem_of({{"presentation", 4}, {"neuroid", 2}}) == "none");
    CHECK(problem_of({{"neuroid", 2}, {"presentation", 2}, {"time_bin", 2}}) == "none");
    CHECK_THAT(problem_of({{"stimulus", 4}, {"neuroid", 2}}),
               Catch::Contains("f.nc: no dimension 'presentation'"));
    CHECK_THAT(problem_of({{"presentation", 2}, {"channel", 2}, {"neuroid", 2}}),
               Catch::Contains("f.nc: has the dimension 'channel' beside"));
}

TEST_CASE("features without layers are one layer") {
    auto plain = features();
    plain.coordinates.pop_back();
    CHECK(pipeline::stored_layers(plain) == std::vector<std::string>{pipeline::only_layer});
    CHECK(pipeline::stored_layer(plain, pipeline::only_layer).values == plain.values);
}

TEST_CASE("a layer that does not exist is an error with near names") {
    CHECK_THROWS_WITH(pipeline::stored_layer(features(), "convv"),
                      Catch::Contains("no layer 'convv'") && Catch::Contains("'conv'"));
}

TEST_CASE("features of one layer as they lie need no copy") {
    const auto all = features();
    const auto layers = pipeline::stored_layers(all);
    CHECK(layers.size() > 1);
    CHECK_FALSE(pipeline::is_layer_itself(all, layers.front()));
    const auto one = pipeline::stored_layer(all, layers.front());
    CHECK(pipeline::is_layer_itself(one, layers.front()));
    CHECK_FALSE(pipeline::is_layer_itself(core::transpose(one, {"neuroid", "presentation"}),
                                          layers.front()));
    CHECK_THROWS_AS(pipeline::is_layer_itself(one, "another"), core::InputError);
}

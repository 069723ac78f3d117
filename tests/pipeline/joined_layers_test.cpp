#include "pipeline/inputs/joined_layers.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;

namespace {

using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

struct NamedLayer {
    std::string name;
    core::Assembly features;
};

core::Assembly join_layers(const std::vector<NamedLayer>& layers) {
    pipeline::LayerJoin join("f.h5", layers.front().name, layers.front().features);
    for (std::size_t i = 1; i < layers.size(); ++i) join.add(layers[i].name, layers[i].features);
    return join.take();
}

NamedLayer layer(const std::string& name, const Floats& values) {
    core::Assembly features;
    features.dims = {{"presentation", 2}, {"neuroid", values.size() / 2}};
    features.values = values;
    features.coordinates = {{"stimulus_id", "presentation", Texts{"s", "t"}},
                            {"channel", "neuroid", Texts(values.size() / 2, "c")}};
    return {name, features};
}

}  // namespace

TEST_CASE("layers stand side by side and are told apart by a label") {
    const auto joined = join_layers({layer("a", {0, 1, 10, 11}), layer("b", {2, 12})});
    CHECK(joined.dims[1].name == "neuroid");
    CHECK(std::get<Floats>(joined.values) == Floats{0, 1, 2, 10, 11, 12});
    CHECK(core::texts(joined, "layer") == Texts{"a", "a", "b"});
    CHECK(core::texts(joined, "stimulus_id") == Texts{"s", "t"});
    CHECK_FALSE(core::find_coordinate(joined, "channel"));
    core::check_consistent(joined);
}

TEST_CASE("layers without values give the labels alone") {
    auto first = layer("a", {0, 1, 10, 11});
    auto second = layer("b", {2, 12});
    first.features.values = second.features.values = Floats{};
    const auto joined = join_layers({first, second});
    CHECK(joined.values == core::Values(Floats{}));
    CHECK(joined.dims[1].size == 3);
}

TEST_CASE("layers may have their dims in another order, and time bins") {
    auto first = layer("a", {0, 1, 10, 11});
    auto second = layer("b", {2, 12});
    first.features = core::transpose(first.features, {"neuroid", "presentation"});
    CHECK(std::get<Floats>(join_layers({first, second}).values) == Floats{0, 1, 2, 10, 11, 12});
    for (auto* each : {&first, &second}) {
        auto& features = each->features;
        features.dims.push_back({"time_bin", 2});
        features.coordinates.push_back({"time_bin_start", "time_bin", Texts{"0", "50"}});
        features.values = Floats(2 * core::value_count(features.values));
    }
    std::get<Floats>(second.features.values) = {1, 2, 3, 4};  // s in both bins, t in both
    const auto joined = join_layers({second, second});
    CHECK(joined.dims[1].name == "time_bin");
    CHECK(std::get<Floats>(joined.values) == Floats{1, 1, 2, 2, 3, 3, 4, 4});
    CHECK(join_layers({first, second}).dims[2].size == 3);
    second.features.coordinates.back().values = Texts{"0", "60"};
    CHECK_THROWS_AS(join_layers({first, second}), core::InputError);
}

TEST_CASE("columns of the stimuli's table may have the names of other labels") {
    auto first = layer("a", {0, 1, 10, 11});
    auto second = layer("b", {2, 12});
    for (auto* each : {&first, &second})
        for (const auto* name : {"layer", "time_bin_start"})
            each->features.coordinates.push_back({name, "presentation", Texts{"x", "y"}});
    second.features.coordinates.pop_back();
    const auto joined = join_layers({first, second});
    CHECK(core::coordinate(joined, "layer").dim == "neuroid");
    CHECK(core::texts(joined, "layer") == Texts{"a", "a", "b"});
    CHECK(core::texts(joined, "time_bin_start") == Texts{"x", "y"});
}

TEST_CASE("a layer without neuroids is refused, also as the first") {
    const auto whole = layer("a", {0, 1});
    const auto none = layer("b", {});
    CHECK_THROWS_WITH(join_layers({whole, none}), Catch::Contains("'b' has no neuroids"));
    CHECK_THROWS_WITH(join_layers({none, whole}), Catch::Contains("'b' has no neuroids"));
}

TEST_CASE("layers of other stimuli, sizes, types or dims do not go together") {
    const auto first = layer("a", {0, 1, 10, 11});
    const auto check = [&](const auto& change) {
        auto second = layer("b", {2, 12});
        change(second.features);
        CHECK_THROWS_WITH(join_layers({first, second}),
                          Catch::StartsWith("f.h5: ") && Catch::Contains("'b'"));
    };
    check([](auto& features) { features.coordinates[0].values = Texts{"t", "s"}; });
    check([](auto& features) { features.coordinates.erase(features.coordinates.begin()); });
    check([](auto& features) { features.values = std::vector<double>{2, 12}; });
    check([](auto& features) { features.dims[0].size = 1; });
    check([](auto& features) { features.dims[1].name = "unit"; });
    check([](auto& features) { features.dims.push_back({"time_bin", 1}); });
}

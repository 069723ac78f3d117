#include "models/time_axis.hpp"

#include <numeric>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using models::LayerShape;

namespace {

/// Two bins along `axis`.
models::ModelRecord in_time(std::size_t axis) {
    models::ModelRecord model;
    model.origin = "net.toml";
    model.time = {axis, {{0, 50}, {50, 100}}};
    return model;
}

/// 0, 1, 2, … for two stimuli.
models::LayerOutput counted(const LayerShape& shape) {
    std::size_t size = 2;
    for (const auto each : shape) size *= static_cast<std::size_t>(each);
    models::LayerOutput output{shape, std::vector<float>(size)};
    std::iota(output.values.begin(), output.values.end(), 0.0F);
    return output;
}

}  // namespace

TEST_CASE("where time comes first already nothing moves") {
    const auto output = counted({2, 3});
    const auto result = models::time_first(output, in_time(1), "layer");
    CHECK(result.shape == LayerShape{3});
    CHECK(result.values == output.values);
}

TEST_CASE("another axis of time is taken out, of each stimulus for itself") {
    // Of the first stimulus channel 0 is 0 1 2 | 3 4 5 (two steps of three places), channel 1 is
    // 6 7 8 | 9 10 11.
    const auto result = models::time_first(counted({2, 2, 3}), in_time(2), "layer");
    CHECK(result.shape == LayerShape{2, 3});
    CHECK(result.values == std::vector<float>{0,  1,  2,  6,  7,  8,  3,  4,  5,  9,  10, 11,
                                              12, 13, 14, 18, 19, 20, 15, 16, 17, 21, 22, 23});
}

TEST_CASE("time may be the last axis, and the only one") {
    CHECK(models::time_first(counted({3, 2}), in_time(2), "layer").values ==
          std::vector<float>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11});
    CHECK(models::shape_in_time_bin({2}, in_time(1), "layer") == LayerShape{1});
}

TEST_CASE("a layer without this axis, or with other steps, is named with its shape") {
    CHECK_THROWS_WITH(models::time_first(counted({3}), in_time(2), "pool"),
                      "net.toml: layer 'pool' gives [batch x 3], but [time] says that axis 2 is "
                      "time");
    CHECK_THROWS_WITH(
        models::time_first(counted({3, 4}), in_time(1), "pool"),
        "net.toml: layer 'pool' gives [batch x 3 x 4], but [time] has 2 bins for axis 1");
}

#include "pipeline/outlook/unlike_layers.hpp"

#include <catch2/catch.hpp>

using namespace ventral;
using pipeline::unlike_layers;

namespace {

pipeline::UnitEstimate estimate(const std::string& model, const std::string& dataset,
                                std::size_t features) {
    pipeline::UnitEstimate unit;
    unit.model = model;
    unit.dataset = dataset;
    unit.layers = {{"alike", 7}, {"conv", features}};
    return unit;
}

}  // namespace

TEST_CASE("a layer has as many features on every dataset, if it is of one network") {
    CHECK(unlike_layers({estimate("m", "day1", 28), estimate("m", "day2", 28),
                         estimate("n", "day2", 50), estimate("m", "day3", 0)})
              .empty());
    CHECK(unlike_layers({estimate("m", "day1", 28), estimate("m", "day2", 50)}) ==
          std::vector<std::string>{
              "m: layer 'conv' has 28 features on day1 and 50 on day2 (one network would have as "
              "many) make sure that its files are of one model"});
}

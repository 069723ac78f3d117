#include "models/builtin/pixels.hpp"

#include <catch2/catch.hpp>

#include "stimuli/demo_images.hpp"
#include "support/builtin_network.hpp"

using namespace ventral;

TEST_CASE("the layer of pixels is the preprocessed image, bit for bit") {
    const auto record = test::builtin_record(models::Builtin::pixels, 40);
    const auto image = stimuli::preprocess(stimuli::demo_image(3, 1).image, *record.preprocessing);
    const auto network = models::load_network(record);
    CHECK(network.layers() == std::vector<std::string>{"pixels", "logits"});
    const auto output = test::respond(network, "pixels", {40, image});
    CHECK(output.shape == models::LayerShape{3, 40, 40});
    CHECK(output.values == image);
}

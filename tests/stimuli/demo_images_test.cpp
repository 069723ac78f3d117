#include "stimuli/demo_images.hpp"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

using namespace ventral::stimuli;

TEST_CASE("a demo image is a whole RGB image") {
    const auto [image, object_name] = demo_image(0, 1);
    CHECK(image.width == demo_image_pixels);
    CHECK(image.height == demo_image_pixels);
    CHECK(image.mode == PixelMode::rgb);
    CHECK(image.pixels.size() == demo_image_pixels * demo_image_pixels * 3);
    CHECK(object_name == "disc");
}

TEST_CASE("index and seed decide a demo image") {
    const auto pixels = [](std::size_t index, std::uint64_t seed) {
        return demo_image(index, seed).image.pixels;
    };
    CHECK(pixels(3, 1) == pixels(3, 1));
    CHECK(pixels(3, 1) != pixels(4, 1));
    CHECK(pixels(3, 1) != pixels(3, 2));
    CHECK(pixels(3, 1) != pixels(11, 1));
}

TEST_CASE("demo images have every object equally often") {
    std::map<std::string, int> counts;
    for (std::size_t i = 0; i < 16; ++i) ++counts[demo_image(i, 1).object_name];
    CHECK(counts.size() == 8);
    for (const auto& [object, count] : counts) CHECK(count == 2);
}

TEST_CASE("demo images are neither flat nor saturated") {
    for (std::size_t i = 0; i < 32; ++i) {
        const auto pixels = demo_image(i, 1).image.pixels;
        const auto [least, most] = std::minmax_element(pixels.begin(), pixels.end());
        CHECK(*most - *least > 64);
        const auto clipped = std::count_if(pixels.begin(), pixels.end(),
                                           [](auto value) { return value == 0 || value == 255; });
        CHECK(static_cast<double>(clipped) < 0.05 * static_cast<double>(pixels.size()));
    }
}

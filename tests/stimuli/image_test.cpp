#include "stimuli/image.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using Bytes = std::vector<std::uint8_t>;

TEST_CASE("RGB takes grey three times and drops alpha without applying it") {
    CHECK(to_rgb({2, 1, PixelMode::grey, {7, 250}, {}, ""}).pixels ==
          Bytes{7, 7, 7, 250, 250, 250});
    CHECK(to_rgb({2, 1, PixelMode::grey_alpha, {7, 0, 250, 9}, {}, ""}).pixels ==
          Bytes{7, 7, 7, 250, 250, 250});
    CHECK(to_rgb({1, 1, PixelMode::rgba, {1, 2, 3, 0}, {}, ""}).pixels == Bytes{1, 2, 3});
    CHECK(to_rgb({2, 1, PixelMode::one_bit, {0, 255}, {}, ""}).pixels ==
          Bytes{0, 0, 0, 255, 255, 255});
}

TEST_CASE("RGB looks a palette up") {
    std::vector<Colour> palette(256);
    palette[5] = {10, 20, 30};
    const auto rgb = to_rgb({2, 1, PixelMode::palette, {5, 0}, palette, "a.png"});
    CHECK(rgb.pixels == Bytes{10, 20, 30, 0, 0, 0});
    CHECK(rgb.mode == PixelMode::rgb);
    CHECK(rgb.palette.empty());
    CHECK(rgb.path == "a.png");
}

TEST_CASE("an image without pixels or with more than PIL takes is refused by name") {
    CHECK_NOTHROW(check_size(1, 1, "a.png"));
    CHECK_NOTHROW(check_size(max_pixels, 1, "a.png"));
    CHECK_THROWS_AS(check_size(0, 5, "a.png"), core::InputError);
    CHECK_THROWS_WITH(check_size(max_pixels, 2, "a.png"), Catch::StartsWith("a.png: is too large"));
}

TEST_CASE("of a size that a step would give the refusal names the step and the cure") {
    const SizeChange change{"resize = 224", "use resize = [height, width]"};
    CHECK_NOTHROW(check_computed_size(max_pixels, 1, "a.png", change));
    CHECK_THROWS_AS(check_computed_size(0, 5, "a.png", change), core::InputError);
    CHECK_THROWS_WITH(check_computed_size(224, 1'008'000, "a.png", change),
                      "a.png: would be too large after resize = 224 (224 x 1008000 pixels, PIL "
                      "refuses more than 178956970) use resize = [height, width]");
}

}  // namespace

#include "stimuli/resize.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using Bytes = std::vector<std::uint8_t>;

Image grey(std::size_t width, std::size_t height, Bytes pixels) {
    return {width, height, PixelMode::grey, std::move(pixels), {}, "grey.png"};
}

TEST_CASE("rows are rounded to bytes before columns are added") {
    // (0 + 1) / 2 = 0.5 rounds to 1 and (0 + 0) / 2 to 0; then (1 + 0) / 2 to 1. In one step the
    // average would be 0.25, that is 0.
    const auto small = resize(grey(2, 2, {0, 1, 0, 0}), {1, 1}, Interpolation::box);
    CHECK(small.pixels == Bytes{1});
}

TEST_CASE("channels do not mix") {
    const Image image{2, 1, PixelMode::rgb, {10, 20, 30, 20, 40, 60}, {}, ""};
    CHECK(resize(image, {1, 1}, Interpolation::box).pixels == Bytes{15, 30, 45});
}

TEST_CASE("a transparent pixel does not colour its neighbour") {
    // Premultiplied 200, 0 → 100 with alpha (255 + 0 + 1) / 2 = 128; 255 · 100 / 128 = 199.2.
    const Image image{2, 1, PixelMode::grey_alpha, {200, 255, 90, 0}, {}, ""};
    CHECK(resize(image, {1, 1}, Interpolation::box).pixels == Bytes{199, 128});
}

TEST_CASE("the nearest sample is taken as it is, alpha and all") {
    const Image image{2, 1, PixelMode::grey_alpha, {200, 255, 90, 0}, {}, ""};
    CHECK(resize(image, {1, 4}, Interpolation::nearest).pixels ==
          Bytes{200, 255, 200, 255, 90, 0, 90, 0});
    // The centre of the one output sample, 5 / 2, lies in sample 2; of two, 1.25 and 3.75.
    const auto five = grey(5, 1, {10, 20, 30, 40, 50});
    CHECK(resize(five, {1, 1}, Interpolation::nearest).pixels == Bytes{30});
    CHECK(resize(five, {1, 2}, Interpolation::nearest).pixels == Bytes{20, 40});
}

TEST_CASE("overshoot of the cubic is cut to a byte") {
    const auto wide = resize(grey(4, 1, {0, 0, 255, 255}), {1, 8}, Interpolation::bicubic);
    CHECK(wide.pixels.front() == 0);
    CHECK(wide.pixels.back() == 255);
    CHECK(wide.pixels[2] == 0);
    CHECK(wide.pixels[5] == 255);
}

TEST_CASE("a constant image stays constant whatever the size") {
    const auto value = GENERATE(1, 128, 255);
    const auto side = GENERATE(1, 3, 31, 40, 100);
    const auto interpolation =
        GENERATE(Interpolation::box, Interpolation::bilinear, Interpolation::bicubic,
                 Interpolation::lanczos, Interpolation::nearest);
    const Bytes pixels(33 * 50, static_cast<std::uint8_t>(value));
    const auto wanted = static_cast<std::size_t>(side);
    const auto result = resize(grey(33, 50, pixels), {wanted, 2 * wanted}, interpolation);
    CHECK(result.width == 2 * wanted);
    CHECK(result.height == wanted);
    CHECK(result.pixels == Bytes(2 * wanted * wanted, pixels[0]));
}

TEST_CASE("the image's own size leaves it as it is, alpha included") {
    const Image image{2, 1, PixelMode::rgba, {200, 100, 50, 3, 9, 8, 7, 0}, {}, ""};
    CHECK(resize(image, {1, 2}, Interpolation::lanczos).pixels == image.pixels);
}

TEST_CASE("a size that no machine should try is refused by name") {
    CHECK_THROWS_WITH(resize(grey(1, 1, {0}), {1'000'000, 1'000'000}, Interpolation::box),
                      Catch::StartsWith("grey.png: would be too large after the resize ("));
    CHECK_THROWS_AS(resize(grey(1, 1, {0}), {0, 4}, Interpolation::box), core::InputError);
}

}  // namespace

#include "stimuli/screen.hpp"

#include <cmath>
#include <fstream>
#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "stimuli/decode.hpp"
#include "support/shared.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using Bytes = std::vector<std::uint8_t>;

Image row(Bytes pixels, const std::string& path) {
    return {pixels.size(), 1, PixelMode::grey, std::move(pixels), {}, path};
}

TEST_CASE("equal degrees leave the image alone") {
    const auto placed = place_on_screen(row({1, 2, 3}, "a.jpg"), 8, 8);
    CHECK(placed.pixels == Bytes{1, 2, 3});
    CHECK(placed.mode == PixelMode::grey);
}

TEST_CASE("a larger screen is grey around the image and always RGB") {
    // 3 × 1 at twice the degrees is 6 × 2; offsets 1.5 → 2 and 0.5 → 0.
    const auto placed = place_on_screen(row({1, 2, 3}, "a.png"), 4, 8);
    CHECK(placed.width == 6);
    CHECK(placed.height == 2);
    CHECK(placed.mode == PixelMode::rgb);
    Bytes expected(36, 128);
    for (std::size_t i = 0; i < 9; ++i) expected[6 + i] = static_cast<std::uint8_t>(1 + i / 3);
    CHECK(placed.pixels == expected);
}

TEST_CASE("a smaller screen keeps the middle and the mode") {
    // Half of 5 × 2 is 2.5 → 2 by 1; offsets 1.5 → 2 and 0.5 → 0.
    const Image image{5, 2, PixelMode::palette, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {{9, 9, 9}}, ""};
    const auto placed = place_on_screen(image, 8, 4);
    CHECK(placed.width == 2);
    CHECK(placed.height == 1);
    CHECK(placed.pixels == Bytes{3, 4});
    CHECK(placed.mode == PixelMode::palette);
    CHECK(placed.palette == image.palette);
}

TEST_CASE("a name that ends as JPEG sends the placed image through JPEG") {
    Bytes noise(64 * 64);
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = static_cast<std::uint8_t>(i * i % 251);
    Image image{64, 64, PixelMode::grey, noise, {}, "a.png"};
    const auto exact = place_on_screen(image, 8, 4);
    image.path = "folder.png/a.JPeG";
    const auto reencoded = place_on_screen(image, 8, 4);
    CHECK(reencoded.width == 32);
    CHECK(reencoded.mode == PixelMode::grey);
    CHECK(exact.pixels != reencoded.pixels);
}

TEST_CASE("what JPEG cannot hold is refused as the reference refuses it") {
    const Image image{4, 4, PixelMode::rgba, Bytes(64), {}, "a.jpg"};
    CHECK_THROWS_WITH(place_on_screen(image, 8, 4),
                      Catch::StartsWith("a.jpg: cannot be written as JPEG"));
    CHECK_NOTHROW(place_on_screen(image, 4, 8));
}

TEST_CASE("degrees without a meaning are refused by name") {
    const auto image = row({1, 2, 3}, "a.png");
    for (double degrees : {0.0, -8.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_WITH(place_on_screen(image, degrees, 8), Catch::StartsWith("a.png: "));
        CHECK_THROWS_WITH(place_on_screen(image, 8, degrees), Catch::StartsWith("a.png: "));
    }
    CHECK_THROWS_AS(place_on_screen(image, 8, 0.001), core::InputError);
    CHECK_THROWS_WITH(place_on_screen(image, 8, 0.001),
                      Catch::StartsWith("a.png: would have no pixels after it is placed"));
    CHECK_THROWS_AS(place_on_screen(image, 1e-300, 8), core::InputError);
}

TEST_CASE("all golden placements have the reference's pixels") {
    const auto folder = test::shared_path("goldens/public/screen");
    if (!folder) {
        WARN("VENTRAL_SHARED has no goldens: skipped");
        return;
    }
    std::ifstream file(*folder + "/expected.place_on_screen.json");
    const auto golden = nlohmann::json::parse(file).at("expected");
    for (const auto& entry : golden) {
        const auto input = *folder + "/" + entry.at("image").get<std::string>();
        const auto output = entry.at("file").is_null()
                                ? input
                                : *folder + "/" + entry.at("file").get<std::string>();
        const auto placed =
            place_on_screen(decode(input), entry.at("source_degrees"), entry.at("target_degrees"));
        INFO(output);
        CHECK(placed.width == entry.at("size")[0]);
        CHECK(placed.height == entry.at("size")[1]);
        CHECK(name_of(placed.mode) == entry.at("mode").get<std::string>());
        CHECK(placed.pixels == decode(output).pixels);
    }
    CHECK(golden.size() == 36);
}

}  // namespace

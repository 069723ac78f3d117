#include "stimuli/jpeg.hpp"

#include <cstdlib>
#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stimuli/file_bytes.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using test::Bytes;

Image ramp(PixelMode mode) {
    Image image{37, 29, mode, {}, {}, "ramp.jpg"};
    for (std::size_t i = 0; i < 37 * 29 * channels(mode); ++i)
        image.pixels.push_back(static_cast<std::uint8_t>(i / (9 * channels(mode))));
    return image;
}

/// Where `marker` (the byte after 0xff) first stands in `bytes`.
std::size_t position_of(std::uint8_t marker, const Bytes& bytes) {
    std::size_t i = 0;
    while (i + 1 < bytes.size() && !(bytes[i] == 0xff && bytes[i + 1] == marker)) ++i;
    REQUIRE(i + 1 < bytes.size());
    return i;
}

TEST_CASE("an encoded image comes back nearly as it was") {
    for (auto mode : {PixelMode::grey, PixelMode::rgb}) {
        const auto image = ramp(mode);
        const auto back = decode_jpeg(encode_jpeg(image), "back.jpg");
        CHECK(back.width == 37);
        CHECK(back.height == 29);
        CHECK(back.mode == mode);
        CHECK(back.path == "back.jpg");
        int largest = 0;
        for (std::size_t i = 0; i < image.pixels.size(); ++i)
            largest = std::max(largest, std::abs(int{back.pixels[i]} - int{image.pixels[i]}));
        CHECK(largest <= 32);  // quality 75 of a smooth image with edges
    }
}

TEST_CASE("a constant grey is exact, and one bit is encoded as grey") {
    const Image image{20, 20, PixelMode::one_bit, Bytes(400, 255), {}, ""};
    const auto back = decode_jpeg(encode_jpeg(image), "");
    CHECK(back.mode == PixelMode::grey);
    CHECK(back.pixels == image.pixels);
}

TEST_CASE("noise of one pixel and of odd sizes fits the buffer") {
    std::mt19937 random(1);
    for (std::size_t side : {1, 2, 15, 16, 17, 100}) {
        Image image{side, 2 * side, PixelMode::rgb, Bytes(6 * side * side), {}, ""};
        for (auto& value : image.pixels) value = static_cast<std::uint8_t>(random());
        CHECK(decode_jpeg(encode_jpeg(image), "").pixels.size() == image.pixels.size());
    }
}

TEST_CASE("alpha, palettes and sides above 65500 cannot be encoded") {
    CHECK_THROWS_AS(encode_jpeg({1, 1, PixelMode::rgba, Bytes(4), {}, ""}), core::InputError);
    CHECK_THROWS_AS(encode_jpeg({1, 1, PixelMode::palette, Bytes(1), {}, ""}), core::InputError);
    CHECK_THROWS_WITH(encode_jpeg({70000, 1, PixelMode::grey, Bytes(70000), {}, "a.jpg"}),
                      Catch::StartsWith("a.jpg: "));
}

TEST_CASE("a JPEG without its last byte is refused") {
    auto bytes = encode_jpeg(ramp(PixelMode::rgb));
    bytes.pop_back();
    CHECK_THROWS_WITH(decode_jpeg(bytes, "a.jpg"),
                      Catch::StartsWith("a.jpg: ") && Catch::Contains("truncated"));
}

TEST_CASE("four channels and enormous sizes are refused before memory is taken") {
    auto bytes = encode_jpeg(ramp(PixelMode::grey));
    const auto frame = position_of(0xc0, bytes);
    SECTION("size") {
        for (std::size_t i = 5; i < 9; ++i) bytes[frame + i] = 0xfd;
        CHECK_THROWS_WITH(decode_jpeg(bytes, "a.jpg"), Catch::StartsWith("a.jpg: is too large"));
    }
    SECTION("channels") {
        // Length 8 + 3 · 4, four components, three more of them after the first.
        bytes[frame + 3] = 20;
        bytes[frame + 9] = 4;
        const Bytes more{2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0};
        const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(frame + 13);
        bytes.insert(end, more.begin(), more.end());
        CHECK_THROWS_WITH(decode_jpeg(bytes, "a.jpg"), Catch::StartsWith("a.jpg: is a JPEG of 4"));
    }
}

TEST_CASE("damaged JPEGs are decoded or refused, never a crash") {
    const auto whole = encode_jpeg(ramp(PixelMode::rgb));
    std::mt19937 random(2);
    for (int i = 0; i < 300; ++i) {
        auto bytes = whole;
        if (i % 3 == 0)
            bytes.resize(random() % bytes.size());
        else
            for (int k = 0; k < i % 7; ++k)
                bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
        try {
            const auto image = decode_jpeg(bytes, "a.jpg");
            CHECK(image.pixels.size() == image.width * image.height * channels(image.mode));
        } catch (const core::InputError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith("a.jpg: "));
        }
    }
}

}  // namespace

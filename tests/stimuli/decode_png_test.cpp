#include "stimuli/decode_png.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stimuli/file_bytes.hpp"
#include "stimuli/write_png.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using test::Bytes;

void append_number(Bytes& bytes, std::uint32_t number) {
    for (int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// PNG specification, annex D.
std::uint32_t checksum(const Bytes& bytes) {
    std::uint32_t crc = 0xffffffff;
    for (auto byte : bytes) {
        crc ^= byte;
        for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

void append_chunk(Bytes& bytes, const std::string& name, const Bytes& content) {
    append_number(bytes, static_cast<std::uint32_t>(content.size()));
    Bytes body = test::bytes_of(name);
    body.insert(body.end(), content.begin(), content.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    append_number(bytes, checksum(body));
}

/// An uncompressed zlib stream (RFC 1950, 1951).
Bytes stored(const Bytes& rows) {
    const auto size = static_cast<std::uint8_t>(rows.size());
    REQUIRE(rows.size() < 256);
    Bytes stream{0x78, 0x01, 0x01, size, 0, static_cast<std::uint8_t>(~size), 0xff};
    stream.insert(stream.end(), rows.begin(), rows.end());
    std::uint32_t a = 1, b = 0;
    for (auto byte : rows) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    append_number(stream, b << 16 | a);
    return stream;
}

struct Header {
    std::uint32_t width;
    std::uint32_t height;
    std::uint8_t depth;
    std::uint8_t colour_type;
};

Bytes png(Header header, const Bytes& palette, const Bytes& rows) {
    Bytes bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    Bytes start;
    append_number(start, header.width);
    append_number(start, header.height);
    start.insert(start.end(), {header.depth, header.colour_type, 0, 0, 0});
    append_chunk(bytes, "IHDR", start);
    if (!palette.empty()) append_chunk(bytes, "PLTE", palette);
    append_chunk(bytes, "IDAT", stored(rows));
    append_chunk(bytes, "IEND", {});
    return bytes;
}

TEST_CASE("greys of few bits are spread over the byte") {
    // One row each, after its filter byte 0.
    const auto two_bits = decode_png(png({4, 1, 2, 0}, {}, {0, 0b00011011}), "a.png");
    CHECK(two_bits.mode == PixelMode::grey);
    CHECK(two_bits.pixels == Bytes{0, 85, 170, 255});
    const auto four_bits = decode_png(png({2, 1, 4, 0}, {}, {0, 0x1e}), "a.png");
    CHECK(four_bits.pixels == Bytes{17, 238});
    const auto one_bit = decode_png(png({3, 1, 1, 0}, {}, {0, 0b10100000}), "a.png");
    CHECK(one_bit.mode == PixelMode::one_bit);
    CHECK(one_bit.pixels == Bytes{255, 0, 255});
}

TEST_CASE("a palette image keeps its indices; colours that the file lacks are greys") {
    const auto image = decode_png(png({4, 1, 2, 3}, {9, 8, 7, 6, 5, 4}, {0, 0b00011011}), "a.png");
    CHECK(image.mode == PixelMode::palette);
    CHECK(image.pixels == Bytes{0, 1, 2, 3});
    REQUIRE(image.palette.size() == 256);
    CHECK(image.palette[1] == Colour{6, 5, 4});
    CHECK(image.palette[3] == Colour{3, 3, 3});
}

TEST_CASE("16 bits, enormous sizes and missing rows are refused by name") {
    CHECK_THROWS_WITH(decode_png(png({1, 1, 16, 0}, {}, {0, 1, 2}), "a.png"),
                      Catch::StartsWith("a.png: has 16 bits"));
    CHECK_THROWS_WITH(decode_png(png({900'000, 900'000, 8, 0}, {}, {0, 1}), "a.png"),
                      Catch::StartsWith("a.png: is too large"));
    CHECK_THROWS_WITH(decode_png(png({0x7fffffff, 2, 8, 0}, {}, {0, 1}), "a.png"),
                      Catch::StartsWith("a.png: cannot be decoded"));
    CHECK_THROWS_WITH(decode_png(png({2, 2, 8, 0}, {}, {0, 1, 2}), "a.png"),
                      Catch::StartsWith("a.png: cannot be decoded"));
}

TEST_CASE("a wrong checksum of a comment is an error too") {
    auto bytes = png({1, 1, 8, 0}, {}, {0, 7});
    Bytes comment;
    append_chunk(comment, "tEXt", {'T', 0, 'x'});
    // The signature has 8 bytes, the header with its length, name and checksum 25.
    bytes.insert(bytes.begin() + 8 + 25, comment.begin(), comment.end());
    CHECK(decode_png(bytes, "a.png").pixels == Bytes{7});
    bytes[8 + 25 + comment.size() - 1] ^= 1;
    CHECK_THROWS_WITH(decode_png(bytes, "a.png"), Catch::StartsWith("a.png: cannot be decoded"));
}

TEST_CASE("damaged PNGs are decoded or refused, never a crash") {
    const auto whole = png({7, 5, 8, 2}, {}, Bytes(5 * 22));
    CHECK(decode_png(whole, "a.png").pixels == Bytes(105));
    std::mt19937 random(3);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        auto bytes = whole;
        if (i % 3 == 0)
            bytes.resize(random() % bytes.size());
        else
            bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
        try {
            const auto image = decode_png(bytes, "a.png");
            CHECK(image.pixels.size() == image.width * image.height * channels(image.mode));
        } catch (const core::InputError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith("a.png: "));
            ++refused;
        }
    }
    CHECK(refused == 300);  // every byte is under a checksum, the signature or a chunk's length
}

TEST_CASE("headers with a right checksum and wrong fields do not crash") {
    std::mt19937 random(4);
    for (int i = 0; i < 500; ++i) {
        const auto below = [&](unsigned limit) {
            return static_cast<std::uint8_t>(random() % limit);
        };
        const Header header{below(40), below(40), below(18), below(8)};
        Bytes palette(3 * below(200)), rows(below(255));
        for (auto& byte : rows) byte = below(256);
        try {
            const auto image = decode_png(png(header, palette, rows), "a.png");
            CHECK(to_rgb(image).pixels.size() == image.width * image.height * 3);
        } catch (const core::InputError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith("a.png: "));
        }
    }
}

}  // namespace

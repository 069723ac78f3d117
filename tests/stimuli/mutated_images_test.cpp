#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "core/portable_random.hpp"
#include "stimuli/decode.hpp"
#include "stimuli/demo_images.hpp"
#include "stimuli/file_bytes.hpp"
#include "stimuli/jpeg.hpp"
#include "stimuli/load_stimulus.hpp"
#include "stimuli/write_png.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

using test::Bytes;

constexpr std::size_t mutations = 200;

Bytes flipped(Bytes bytes, std::size_t flips, std::size_t within, core::PortableRandom& random) {
    for (std::size_t i = 0; i < flips; ++i)
        bytes[random.below(std::min(within, bytes.size()))] ^=
            static_cast<std::uint8_t>(1U << random.below(8));
    return bytes;
}

/// Cut short, a bit or many flipped (also in the header alone), zeroed inside, or the beginning of
/// one format before the rest of another.
Bytes mutated(const Bytes& whole, const Bytes& other, std::size_t kind,
              core::PortableRandom& random) {
    switch (kind) {
        case 0:
            return {whole.begin(),
                    whole.begin() + static_cast<std::ptrdiff_t>(random.below(whole.size()))};
        case 1:
            return flipped(whole, 1, whole.size(), random);
        case 2:
            return flipped(whole, 3, 60, random);
        case 3:
            return flipped(whole, 40, whole.size(), random);
        case 4: {
            auto zeroed = whole;
            const auto first = random.below(whole.size());
            std::fill(zeroed.begin() + static_cast<std::ptrdiff_t>(first),
                      zeroed.begin() + static_cast<std::ptrdiff_t>(
                                           std::min(whole.size(), first + 1 + random.below(64))),
                      std::uint8_t{0});
            return zeroed;
        }
        default: {
            auto mixed = other;
            std::copy_n(whole.begin(), 1 + random.below(24), mixed.begin());
            return mixed;
        }
    }
}

/// The red channel alone.
Image grey(const Image& image) {
    Image result{image.width, image.height, PixelMode::grey, {}, {}, ""};
    for (std::size_t i = 0; i < image.pixels.size(); i += 3)
        result.pixels.push_back(image.pixels[i]);
    return result;
}

TEST_CASE("a damaged image is decoded or refused by name, whatever the damage") {
    const test::TemporaryFolder folder;
    const auto image = demo_image(3, 5).image;
    const auto path = folder.file("image.png");
    write_png(path, image);
    const std::array wholes{test::read_bytes(path), encode_jpeg(image), encode_jpeg(grey(image))};
    core::PortableRandom random(20);
    Preprocessing preprocessing;
    preprocessing.resize = 32;
    preprocessing.crop = 28;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < mutations; ++i) {
        const auto kind = i % 6;
        const auto& whole = wholes[i / 6 % wholes.size()];
        test::write_bytes(path, mutated(whole, wholes[(i / 6 + 1) % wholes.size()], kind, random));
        INFO("mutation " << i);
        try {
            const auto decoded = decode(path);
            CHECK(decoded.pixels.size() == decoded.width * decoded.height * channels(decoded.mode));
            if (decoded.width * decoded.height > 1'000'000) continue;
            CHECK(load_stimulus(path, 8, 8, preprocessing).size() == 3 * 28 * 28);
        } catch (const core::InputError& error) {
            ++refused;
            CHECK_THAT(error.what(), Catch::StartsWith(path + ": "));
        }
    }
    // All that are cut short, and a checksum guards nearly every bit of a PNG.
    CHECK(refused >= mutations / 3);
    CHECK(refused < mutations);  // a flipped bit inside a JPEG is only another picture
}

}  // namespace

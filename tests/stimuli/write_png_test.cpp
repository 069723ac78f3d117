#include "stimuli/write_png.hpp"

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stimuli/decode.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

TEST_CASE("a written image reads back as it was") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("image.png");
    for (auto mode : {PixelMode::grey, PixelMode::grey_alpha, PixelMode::rgb, PixelMode::rgba}) {
        Image image{13, 7, mode, {}, {}, ""};
        for (std::size_t i = 0; i < 13 * 7 * channels(mode); ++i)
            image.pixels.push_back(static_cast<std::uint8_t>(i * 37));
        write_png(path, image);
        const auto read = decode(path);
        CHECK(read.width == 13);
        CHECK(read.height == 7);
        CHECK(read.mode == mode);
        CHECK(read.pixels == image.pixels);
        CHECK(read.path == path);
    }
}

TEST_CASE("a file that cannot be written is named") {
    CHECK_THROWS_WITH(write_png("/nonexistent/a.png", {1, 1, PixelMode::grey, {0}, {}, ""}),
                      Catch::StartsWith("/nonexistent/a.png: cannot be written"));
}

}  // namespace

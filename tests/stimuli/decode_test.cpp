#include "stimuli/decode.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "stimuli/file_bytes.hpp"
#include "stimuli/jpeg.hpp"
#include "stimuli/write_png.hpp"
#include "support/no_descriptor_left.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

TEST_CASE("the content decides the format, not the name") {
    const test::TemporaryFolder folder;
    const Image image{2, 1, PixelMode::rgb, {1, 2, 3, 4, 5, 6}, {}, ""};
    const auto png = folder.file("png.jpg");
    write_png(png, image);
    CHECK(decode(png).pixels == image.pixels);
    const auto jpeg = folder.file("jpeg.png");
    test::write_bytes(jpeg, encode_jpeg(image));
    CHECK(decode(jpeg).pixels == decode_jpeg(encode_jpeg(image), "").pixels);
}

TEST_CASE("what is not an image is refused by name") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("image.png");
    const auto begins = Catch::StartsWith(path + ": ");
    CHECK_THROWS_WITH(decode(path), begins && Catch::Contains("No such file"));
    test::write_bytes(path, {});
    CHECK_THROWS_WITH(decode(path), begins && Catch::Contains("empty"));
    test::write_bytes(path, test::bytes_of("GIF89a and so on"));
    CHECK_THROWS_WITH(decode(path), begins && Catch::Contains("neither PNG nor JPEG"));
    test::write_bytes(path, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
    CHECK_THROWS_WITH(decode(path), begins && Catch::Contains("truncated"));
    test::write_bytes(path, {0xff, 0xd8, 0xff});
    CHECK_THROWS_WITH(decode(path), begins && Catch::Contains("truncated"));
    CHECK_THROWS_WITH(decode(folder.path().string()), Catch::Contains("is a folder"));
}

TEST_CASE("an image that the system cannot open now is a transient error") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("image.png");
    write_png(path, Image{2, 1, PixelMode::rgb, {1, 2, 3, 4, 5, 6}, {}, ""});
    const test::NoDescriptorLeft limit;
    CHECK_THROWS_AS(decode(path), core::TransientError);
    CHECK_THROWS_WITH(decode(path), path + ": cannot be opened (Too many open files) run again");
}

TEST_CASE("what would have to be waited for is refused") {
    const test::TemporaryFolder folder;
    const auto path = folder.file("image.png");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(decode(path), path + ": is no regular file (an image file is wanted)");
}

}  // namespace

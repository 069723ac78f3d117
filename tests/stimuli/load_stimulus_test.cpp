#include "stimuli/load_stimulus.hpp"

#include <thread>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "stimuli/decode.hpp"
#include "stimuli/screen.hpp"
#include "stimuli/write_png.hpp"
#include "support/temporary_folder.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

std::string image_in(const test::TemporaryFolder& folder) {
    Image image{60, 40, PixelMode::rgb, {}, {}, ""};
    for (std::size_t i = 0; i < 60 * 40 * 3; ++i)
        image.pixels.push_back(static_cast<std::uint8_t>(i * i % 253));
    write_png(folder.file("image.png"), image);
    return folder.file("image.png");
}

Preprocessing preprocessing() {
    Preprocessing wanted;
    wanted.resize = 32;
    wanted.crop = 24;
    return wanted;
}

TEST_CASE("a stimulus is placed on the screen and then preprocessed") {
    const test::TemporaryFolder folder;
    const auto path = image_in(folder);
    CHECK(load_stimulus(path, 4, 8, preprocessing()) ==
          preprocess(place_on_screen(decode(path), 4, 8), preprocessing()));
    CHECK(load_stimulus(path, 4, 8, preprocessing()) != load_stimulus(path, 8, 8, preprocessing()));
}

TEST_CASE("threads that load at once get the same tensors") {
    const test::TemporaryFolder folder;
    const auto path = image_in(folder);
    const auto expected = load_stimulus(path, 8, 6, preprocessing());
    std::vector<std::vector<float>> tensors(8);
    std::vector<std::jthread> threads;
    for (auto& tensor : tensors)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) tensor = load_stimulus(path, 8, 6, preprocessing());
        });
    threads.clear();
    for (const auto& tensor : tensors) CHECK(tensor == expected);
}

TEST_CASE("a missing stimulus is refused by name") {
    CHECK_THROWS_WITH(load_stimulus("/nonexistent.png", 8, 8, preprocessing()),
                      Catch::StartsWith("/nonexistent.png: "));
}

}  // namespace

#include "stimuli/preprocessing.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "core/errors.hpp"

using namespace ventral;
using namespace ventral::stimuli;

namespace {

Image rgb(std::size_t width, std::size_t height, std::uint8_t value) {
    return {width, height, PixelMode::rgb, std::vector(width * height * 3, value), {}, "a.png"};
}

Image grey(std::size_t width, std::size_t height, std::vector<std::uint8_t> pixels) {
    return {width, height, PixelMode::grey, std::move(pixels), {}, "a.png"};
}

/// The first channel as the bytes that it came from.
std::vector<int> bytes_of(const std::vector<float>& tensor) {
    std::vector<int> bytes;
    for (std::size_t i = 0; i < tensor.size() / 3; ++i)
        bytes.push_back(static_cast<int>(tensor[i] * 255.0F + 0.5F));
    return bytes;
}

TEST_CASE("channels come one after the other, divided by 255 and normalised in single precision") {
    const Image image{1, 2, PixelMode::rgb, {10, 20, 30, 40, 50, 60}, {}, ""};
    Preprocessing preprocessing;
    CHECK(preprocess(image, preprocessing) ==
          std::vector{10 / 255.F, 40 / 255.F, 20 / 255.F, 50 / 255.F, 30 / 255.F, 60 / 255.F});
    preprocessing.mean = {0.485F, 0.456F, 0.406F};
    preprocessing.standard_deviation = {0.229F, 0.224F, 0.225F};
    CHECK(preprocess(image, preprocessing)[2] == (20 / 255.F - 0.456F) / 0.224F);
}

TEST_CASE("the short side gets the size and the long one is truncated") {
    Preprocessing preprocessing;
    preprocessing.resize = 256;
    // 256 · 500 / 375 = 341.33, 256 · 399 / 300 = 340.48
    CHECK(tensor_shape(preprocessing, {375, 500}) == TensorShape{3, 256, 341});
    CHECK(tensor_shape(preprocessing, {399, 300}) == TensorShape{3, 340, 256});
    CHECK(preprocess(rgb(5, 3, 9), preprocessing).size() == 3 * 256 * 426);
    CHECK_FALSE(tensor_shape(preprocessing));
    preprocessing.crop = 224;
    CHECK(tensor_shape(preprocessing) == TensorShape{3, 224, 224});
}

TEST_CASE("an exact size takes no notice of the aspect") {
    Preprocessing preprocessing;
    preprocessing.resize_exact = Size{4, 6};
    CHECK(tensor_shape(preprocessing) == TensorShape{3, 4, 6});
    CHECK(preprocess(rgb(50, 3, 9), preprocessing).size() == 3 * 4 * 6);
}

TEST_CASE("the crop is in the middle, a half offset going to the even side") {
    Preprocessing preprocessing;
    preprocessing.crop = 1;
    // Offsets 0.5 → 0, 1.5 → 2, 1 → 1.
    CHECK(bytes_of(preprocess(grey(2, 1, {1, 2}), preprocessing)) == std::vector{1});
    CHECK(bytes_of(preprocess(grey(4, 1, {1, 2, 3, 4}), preprocessing)) == std::vector{3});
    CHECK(bytes_of(preprocess(grey(1, 3, {1, 2, 3}), preprocessing)) == std::vector{2});
}

TEST_CASE("tensors are resized between division and crop, and normalised at the end") {
    Preprocessing preprocessing;
    preprocessing.backend = Preprocessing::Backend::tensor;
    preprocessing.resize_exact = Size{2, 2};
    preprocessing.crop = 4;
    preprocessing.mean = {0.5F, 0.25F, 0.125F};
    preprocessing.standard_deviation = {0.5F, 2, 4};
    const auto resize = [](std::vector<float> values, Size from, Size to, Interpolation filter) {
        CHECK(values == std::vector{51 / 255.F, 102 / 255.F, 51 / 255.F, 102 / 255.F, 51 / 255.F,
                                    102 / 255.F});
        CHECK(from == Size{1, 2});
        CHECK(to == Size{2, 2});
        CHECK(filter == Interpolation::bilinear);
        return std::vector<float>{.75F, 1, 2, 3, 1.25F, 1, 2, 3, .125F, 4, 2, 3};
    };
    const auto tensor = preprocess(grey(2, 1, {51, 102}), preprocessing, resize);
    REQUIRE(tensor.size() == 3 * 16);
    // A black edge of one pixel: (0 - 0.5) / 0.5, then (0.75 - 0.5) / 0.5.
    CHECK(tensor[0] == -1);
    CHECK(tensor[5] == 0.5F);
    CHECK(tensor[6] == 1);
    CHECK(tensor[10] == 5);
    CHECK(tensor[16 + 5] == 0.5F);
    CHECK(tensor[32 + 5] == 0);
    CHECK(tensor[47] == -0.125F / 4);
}

TEST_CASE("an image smaller than the crop gets black edges, the wider one behind") {
    Preprocessing preprocessing;
    preprocessing.crop = 4;
    CHECK(bytes_of(preprocess(grey(1, 5, {1, 2, 3, 4, 5}), preprocessing)) ==
          std::vector{0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0});
}

TEST_CASE("settings without a meaning are refused") {
    Preprocessing preprocessing;
    SECTION("a filter that torch lacks") {
        preprocessing.backend = Preprocessing::Backend::tensor;
        preprocessing.interpolation = Interpolation::lanczos;
        CHECK_THROWS_WITH(check(preprocessing), Catch::Contains("\"lanczos\" is not there"));
    }
    SECTION("two sizes") {
        preprocessing.resize = 3;
        preprocessing.resize_exact = Size{3, 3};
    }
    SECTION("a short side of nothing") { preprocessing.resize = 0; }
    SECTION("a side of nothing") { preprocessing.resize_exact = Size{3, 0}; }
    SECTION("a crop of nothing") { preprocessing.crop = 0; }
    SECTION("an absurd size") { preprocessing.resize = std::numeric_limits<std::size_t>::max(); }
    SECTION("division by zero") { preprocessing.standard_deviation[1] = 0.0F; }
    SECTION("a mean that is no number") {
        preprocessing.mean[2] = std::numeric_limits<float>::quiet_NaN();
    }
    CHECK_THROWS_AS(preprocess(rgb(2, 2, 0), preprocessing), core::InputError);
}

TEST_CASE("a line of pixels that would become an enormous image is refused by name") {
    Preprocessing preprocessing;
    preprocessing.resize = 2000;
    // The long side becomes 2000 · 1000 / 1.
    for (auto backend : {Preprocessing::Backend::pil, Preprocessing::Backend::tensor}) {
        preprocessing.backend = backend;
        CHECK_THROWS_WITH(preprocess(rgb(1000, 1, 0), preprocessing),
                          Catch::StartsWith("a.png: would be too large after resize = 2000") &&
                              Catch::Contains("2000000 x 2000 pixels") &&
                              Catch::Contains("use resize = [height, width]"));
    }
}

TEST_CASE("a crop and an exact size that nobody can hold are refused by name") {
    Preprocessing preprocessing;
    preprocessing.crop = 20'000;
    CHECK_THROWS_WITH(preprocess(rgb(2, 2, 0), preprocessing),
                      Catch::StartsWith("a.png: would be too large after crop = 20000 ("));
    preprocessing.crop = 2;
    preprocessing.resize_exact = Size{20'000, 10'000};
    CHECK_THROWS_WITH(preprocess(rgb(2, 2, 0), preprocessing),
                      Catch::StartsWith("a.png: would be too large after resize = [20000, 10000]"));
}

TEST_CASE("the description tells every field") {
    Preprocessing preprocessing;
    preprocessing.resize = 256;
    preprocessing.crop = 224;
    preprocessing.mean = {0.485F, 0.5F, 0.0F};
    CHECK(description(preprocessing) ==
          "backend=pil resize=256 crop=224 interpolation=bilinear mean=0.485,0.5,0 std=1,1,1");
    preprocessing = {};
    preprocessing.resize_exact = Size{3, 4};
    preprocessing.interpolation = Interpolation::bicubic;
    preprocessing.backend = Preprocessing::Backend::tensor;
    CHECK(description(preprocessing) ==
          "backend=tensor resize=3x4 crop=none interpolation=bicubic mean=0,0,0 std=1,1,1");
}

}  // namespace

#include "config/preprocessing_table.hpp"

#include <catch2/catch.hpp>

#include "config/config_files.hpp"

using namespace ventral::config;
using ventral::stimuli::Interpolation;
using ventral::stimuli::Preprocessing;
using ventral::test::input_error;

namespace {

Preprocessing read(const std::string& text) {
    const auto contents = toml::parse("[p]\n" + text);
    return read_preprocessing(Value("a.toml", "'p'", *contents.get("p")));
}

}  // namespace

TEST_CASE("every field of a preprocessing can be set") {
    const auto read_back = read(
        "backend = 'pil'\nresize = 256\ncrop = 224\ninterpolation = 'bicubic'\n"
        "mean = [0.485, 0, 1]\nstd = [0.229, 1, 2]\n");
    CHECK(read_back.backend == Preprocessing::Backend::pil);
    CHECK(read_back.resize == 256);
    CHECK(!read_back.resize_exact);
    CHECK(read_back.crop == 224);
    CHECK(read_back.interpolation == Interpolation::bicubic);
    CHECK(read_back.mean == std::array<float, 3>{0.485F, 0.0F, 1.0F});
    CHECK(read_back.standard_deviation == std::array<float, 3>{0.229F, 1.0F, 2.0F});
}

TEST_CASE("an empty preprocessing has the defaults") { CHECK(read("") == Preprocessing{}); }

TEST_CASE("a resize of two numbers is height and width") {
    const auto read_back = read("resize = [10, 20]\n");
    CHECK(!read_back.resize);
    CHECK(read_back.resize_exact == ventral::stimuli::Size{10, 20});
}

TEST_CASE("a wrong field of a preprocessing is an error at its place") {
    const auto error = [](const std::string& text) { return input_error([&] { read(text); }); };
    CHECK(error("resize = 0") == "a.toml:2:10: 'resize' must be from 1 to 178956970, not 0");
    CHECK(error("resize = [1, 2, 3]") ==
          "a.toml:2:10: 'resize' is the short side or [height, width]");
    CHECK(error("crop = '224'") == "a.toml:2:8: 'crop' must be an integer, not a string");
    CHECK(error("interpolation = 'bilinar'") ==
          "a.toml:2:17: 'interpolation' may not be 'bilinar', did you mean 'bilinear'? "
          "(allowed: box, bilinear, bicubic, lanczos, nearest)");
    CHECK(error("mean = [0.5]") == "a.toml:2:8: three numbers are wanted, one per channel");
    CHECK(error("std = [1, 1, 0]") == "a.toml:2:14: entry 3 of 'std' must be above 0, not 0");
    CHECK(error("size = 3") ==
          "a.toml:2:1: unknown key 'size', did you mean 'resize'? "
          "(known: backend, crop, interpolation, mean, resize, std)");
}

TEST_CASE("a preprocessing that the program cannot do is an error at the table") {
    CHECK(read("backend = 'tensor'").backend == Preprocessing::Backend::tensor);
    CHECK_THAT(input_error([] { read("backend = 'tensor'\ninterpolation = 'box'"); }),
               Catch::StartsWith("a.toml:1:1: preprocessing.interpolation: \"box\" is not there"));
}

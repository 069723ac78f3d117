#include "stimuli/microsaccades.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "core/errors.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "support/golden.hpp"

using namespace ventral;
using stimuli::microsaccades;
using stimuli::shifted;

namespace {

constexpr std::size_t golden_pixels = 32;
constexpr stimuli::TensorShape golden_shape = {3, golden_pixels, golden_pixels};

/// An array of the golden's HDF5 file.
std::optional<std::vector<float>> golden_array(const std::string& name) {
    const auto path = test::golden_path("activations/microsaccades.h5");
    if (!path) return std::nullopt;
    return std::get<std::vector<float>>(io::read_assembly(*path, {name, {}}).values);
}

std::vector<float> part(const std::vector<float>& all, std::size_t number) {
    const auto size = static_cast<std::ptrdiff_t>(3 * golden_pixels * golden_pixels);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(number) * size;
    return {begin, begin + size};
}

}  // namespace

TEST_CASE("microsaccades go where the reference's go") {
    const auto expected = test::golden("activations/expected.microsaccades.json");
    if (!expected) return;
    const auto shifts = microsaccades(10, 8, golden_pixels);
    REQUIRE(shifts.size() == expected->at("pixels").size());
    for (std::size_t i = 0; i < shifts.size(); ++i) {
        const auto& pixels = expected->at("pixels")[i];
        const auto& degrees = expected->at("degrees")[i];
        CHECK(shifts[i].x_pixels == Approx(pixels[0].get<double>()).margin(1e-15));
        CHECK(shifts[i].y_pixels == Approx(pixels[1].get<double>()).margin(1e-15));
        CHECK(shifts[i].x_degrees == Approx(degrees[0].get<double>()).margin(1e-15));
        CHECK(shifts[i].y_degrees == Approx(degrees[1].get<double>()).margin(1e-15));
    }
}

TEST_CASE("shifted images have OpenCV's bits") {
    const auto image = golden_array("image");
    const auto expected = golden_array("shifted");
    const auto far = golden_array("large_shifts");
    const auto about = test::golden("activations/expected.microsaccades.json");
    if (!image || !expected || !far || !about) return;
    const auto shifts = microsaccades(10, 8, golden_pixels);
    for (std::size_t i = 0; i < shifts.size(); ++i)
        CHECK(shifted(*image, golden_shape, shifts[i].x_pixels, shifts[i].y_pixels) ==
              part(*expected, i));
    for (std::size_t i = 0; i < about->at("large_shifts").size(); ++i) {
        const auto& shift = about->at("large_shifts")[i];
        CHECK(shifted(*image, golden_shape, shift[0], shift[1]) == part(*far, i));
    }
}

TEST_CASE("the first microsaccade leaves the image alone, the last ones stay on the disc") {
    // 100 trials on 200 pixels of 10 degrees: 0.05 degrees are one pixel.
    const auto shifts = microsaccades(100, 10, 200);
    CHECK(shifts[0].x_pixels == 0);
    CHECK(shifts[0].y_pixels == 0);
    for (const auto& shift : shifts) {
        CHECK(shift.x_pixels * shift.x_pixels + shift.y_pixels * shift.y_pixels < 1);
        CHECK(shift.x_degrees == Approx(shift.x_pixels / 20).margin(1e-15));
    }
    // i = 25: half way out, angle 2 π · 5 / 10.
    CHECK(shifts[25].x_pixels == Approx(-0.5));
    CHECK(shifts[25].y_pixels == Approx(0).margin(1e-15));
}

TEST_CASE("a shift by whole pixels moves them and repeats the edge") {
    const std::vector<float> image = {1, 2, 3, 4, 5, 6};
    CHECK(shifted(image, {1, 2, 3}, 1, 0) == std::vector<float>{1, 1, 2, 4, 4, 5});
    CHECK(shifted(image, {1, 2, 3}, 0, -1) == std::vector<float>{4, 5, 6, 4, 5, 6});
    CHECK(shifted(image, {1, 2, 3}, 0, 0) == image);
    CHECK(shifted(image, {1, 2, 3}, 50, 50) == std::vector<float>(6, 1));
}

TEST_CASE("a shift between pixels mixes them, to a 32nd of a pixel") {
    const std::vector<float> image = {0, 32};
    CHECK(shifted(image, {1, 1, 2}, -0.5, 0) == std::vector<float>{16, 32});
    CHECK(shifted(image, {1, 1, 2}, -0.26, 0) == std::vector<float>{8, 32});
}

TEST_CASE("a screen without size has no microsaccades") {
    CHECK_THROWS_AS(microsaccades(3, 0, 10), core::InputError);
    CHECK_THROWS_AS(microsaccades(3, -8, 10), core::InputError);
}

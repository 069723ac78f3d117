#include "models/builtin/hmax.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "core/portable_random.hpp"
#include "models/builtin/dead_leaves.hpp"
#include "support/builtin_network.hpp"

using namespace ventral;
using namespace ventral::test;

namespace {

constexpr std::size_t pixels = 224;
/// Positions of a band on 224 pixels: (224 - N) / (N / 2) + 1 for N = 8, 10, … 22.
constexpr std::array<std::size_t, models::hmax_bands> band_sides = {55, 43, 36, 31, 27, 23, 21, 19};

const models::Network& network() {
    static const auto loaded = models::load_network(builtin_record(models::Builtin::hmax, pixels));
    return loaded;
}

/// Mean of C1 over the positions of each band and orientation.
std::vector<double> channel_means(const std::vector<float>& c1) {
    std::vector<double> means;
    auto place = c1.begin();
    for (const auto side : band_sides)
        for (std::size_t i = 0; i < models::hmax_orientations; ++i) {
            const auto end = place + static_cast<std::ptrdiff_t>(side * side);
            means.push_back(std::accumulate(place, end, 0.0) / static_cast<double>(side * side));
            place = end;
        }
    return means;
}

/// A dark bar of 20 by 80 pixels that is turned, `shift` pixels to the right of the middle.
SquareImage bar(double shift) {
    return grey_image(pixels, [&](std::size_t x, std::size_t y) {
        const double dx = static_cast<double>(x) - 112 - shift, dy = static_cast<double>(y) - 112;
        const double u = 0.8 * dx + 0.6 * dy, v = 0.8 * dy - 0.6 * dx;
        return std::abs(u) < 10 && std::abs(v) < 40 ? 0.2 : 0.7;
    });
}

}  // namespace

TEST_CASE("the layers of hmax are its bands and its prototypes") {
    CHECK(network().layers() == std::vector<std::string>{"c1", "c2", "logits"});
    std::size_t features = 0;
    for (const auto side : band_sides) features += models::hmax_orientations * side * side;
    const auto image = uniform_image(pixels, 0.5);
    CHECK(respond(network(), "c1", image).shape ==
          models::LayerShape{static_cast<std::int64_t>(features)});
    CHECK(respond(network(), "c2", image).shape == models::LayerShape{1000});
}

TEST_CASE("a grating drives the C1 channel of its scale and orientation most") {
    // Means of the two wavelengths of a band in table 1 of Serre et al. 2007.
    constexpr std::array wavelengths = {4.05, 6.2, 8.5, 10.9, 13.4, 16.1, 18.95, 22.0};
    for (std::size_t band = 0; band < models::hmax_bands; ++band)
        for (std::size_t i = 0; i < models::hmax_orientations; ++i) {
            const auto image = grating_image(
                pixels, {1 / wavelengths[band], 45.0 * static_cast<double>(i), 0, 0.4, 0.5});
            const auto means = channel_means(respond(network(), "c1", image).values);
            const auto channel = std::max_element(means.begin(), means.end()) - means.begin();
            CHECK(static_cast<std::size_t>(channel) == band * models::hmax_orientations + i);
        }
}

TEST_CASE("uniform light drives no C1 cell, black neither") {
    for (const double grey : {0.0, 0.3, 1.0}) {
        const auto values = respond(network(), "c1", uniform_image(pixels, grey)).values;
        CHECK(*std::max_element(values.begin(), values.end()) < 1e-5F);
    }
}

TEST_CASE("C1 does not change with the strength of the light") {
    auto image = bar(0);
    const auto bright = respond(network(), "c1", image).values;
    for (auto& value : image.values) value /= 2;
    CHECK(relative_change(bright, respond(network(), "c1", image).values) < 1e-4);
}

TEST_CASE("C1 changes less than pixels when a bar moves, and C2 less than C1") {
    for (const double shift : {2.0, 4.0}) {
        const auto moved = [&](const std::string& layer) {
            return relative_change(respond(network(), layer, bar(0)).values,
                                   respond(network(), layer, bar(shift)).values);
        };
        // Of the bar's contrast: pixels that change, and all that it covers.
        const auto here = bar(0).values, there = bar(shift).values;
        double changed = 0, all = 0;
        for (std::size_t i = 0; i < here.size(); ++i) {
            changed += here[i] != there[i];
            all += here[i] < 0.5F;
        }
        const double pixel_change = std::sqrt(changed / all);
        CHECK(moved("c1") < 0.7 * pixel_change);
        CHECK(moved("c2") < 0.3 * moved("c1"));
    }
}

TEST_CASE("an image that holds a prototype drives its C2 cell to 1") {
    core::PortableRandom random(models::hmax_prototype_seed);
    constexpr std::size_t side = models::hmax_prototype_image_pixels;
    for (std::size_t image = 0; image < 3; ++image) {
        const auto grey = models::dead_leaves(side, random);
        const auto c2 =
            respond(
                network(), "c2",
                grey_image(side, [&](std::size_t x, std::size_t y) { return grey[y * side + x]; }))
                .values;
        double others = 0;
        for (std::size_t cell = 0; cell < c2.size(); ++cell) {
            CHECK(c2[cell] <= 1);
            if (cell % models::hmax_prototypes_per_size % models::hmax_prototype_images == image)
                CHECK(c2[cell] > 0.999F);
            else
                others += double{c2[cell]} / 980;
        }
        CHECK(others > 0.1);
        CHECK(others < 0.9);
    }
}

TEST_CASE("hmax made again gives the same bits") {
    const auto again = models::load_network(builtin_record(models::Builtin::hmax, pixels));
    for (const char* layer : {"c1", "c2"}) {
        const auto values = respond(network(), layer, bar(0)).values;
        CHECK(respond(network(), layer, bar(0)).values == values);
        CHECK(respond(again, layer, bar(0)).values == values);
    }
}

#include "models/builtin/dead_leaves.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

using namespace ventral;

namespace {

/// Half the side, means of four.
std::vector<float> halved(const std::vector<float>& image, std::size_t pixels) {
    std::vector<float> half;
    for (std::size_t y = 0; y < pixels; y += 2)
        for (std::size_t x = 0; x < pixels; x += 2) {
            const auto* corner = image.data() + y * pixels + x;
            half.push_back((corner[0] + corner[1] + corner[pixels] + corner[pixels + 1]) / 4);
        }
    return half;
}

double variance(const std::vector<float>& image) {
    double sum = 0, squares = 0;
    for (const double value : image) sum += value, squares += value * value;
    const auto count = static_cast<double>(image.size());
    return squares / count - sum / count * (sum / count);
}

}  // namespace

TEST_CASE("dead leaves are the same for the same stream and grey values") {
    core::PortableRandom first(5), again(5);
    const auto image = models::dead_leaves(64, first);
    CHECK(image == models::dead_leaves(64, again));
    CHECK(image != models::dead_leaves(64, again));
    CHECK(image.size() == 64 * 64);
    const auto [least, most] = std::minmax_element(image.begin(), image.end());
    CHECK(*least >= 0);
    CHECK(*most < 1);
}

TEST_CASE("dead leaves have as much contrast in every octave") {
    // A 1/f² spectrum in two dimensions has equal variance in every octave. Averaging pixels by
    // four takes out an octave.
    core::PortableRandom random(1);
    std::vector<double> octaves(4);
    for (int i = 0; i < 20; ++i) {
        std::size_t pixels = 192;
        auto image = models::dead_leaves(pixels, random);
        for (auto& octave : octaves) {
            const auto half = halved(image, pixels);
            octave += variance(image) - variance(half);
            image = half;
            pixels /= 2;
        }
    }
    const auto [least, most] = std::minmax_element(octaves.begin(), octaves.end());
    CHECK(*most < 2.5 * *least);
}

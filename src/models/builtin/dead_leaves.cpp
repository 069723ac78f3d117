#include "models/builtin/dead_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ventral::models {
namespace {

constexpr double least_radius = 2;
/// Area of all leaves together, in areas of the image: hardly a pixel stays bare.
constexpr double cover = 6;

struct Leaf {
    double x, y, radius, angle;
    bool square;
    float grey;

    bool covers(double column, double row) const {
        const double dx = column - x, dy = row - y;
        if (!square) return dx * dx + dy * dy <= radius * radius;
        const double u = dx * std::cos(angle) + dy * std::sin(angle);
        const double v = dy * std::cos(angle) - dx * std::sin(angle);
        return std::max(std::abs(u), std::abs(v)) <= radius * std::numbers::sqrt2 / 2;
    }
    double area() const { return radius * radius * (square ? 2 : std::numbers::pi); }
};

/// Radii have the density r^-3, which is the same at every scale. Centres may lie outside.
Leaf random_leaf(double pixels, core::PortableRandom& random) {
    const double largest = pixels / 2;
    const double share = random.uniform();
    Leaf leaf{};
    leaf.radius =
        1 / std::sqrt((1 - share) / (least_radius * least_radius) + share / (largest * largest));
    leaf.x = random.uniform(-leaf.radius, pixels + leaf.radius);
    leaf.y = random.uniform(-leaf.radius, pixels + leaf.radius);
    leaf.angle = random.uniform(0, std::numbers::pi / 2);
    leaf.square = random.uniform() < 0.5;
    leaf.grey = static_cast<float>(random.uniform());
    return leaf;
}

void paint(std::vector<float>& image, std::size_t pixels, const Leaf& leaf) {
    const auto last = static_cast<double>(pixels - 1);
    const auto bound = [&](double place) {
        return static_cast<std::size_t>(std::clamp(place, 0.0, last));
    };
    for (auto row = bound(leaf.y - leaf.radius); row <= bound(leaf.y + leaf.radius); ++row)
        for (auto column = bound(leaf.x - leaf.radius); column <= bound(leaf.x + leaf.radius);
             ++column)
            if (leaf.covers(static_cast<double>(column), static_cast<double>(row)))
                image[row * pixels + column] = leaf.grey;
}

}  // namespace

std::vector<float> dead_leaves(std::size_t pixels, core::PortableRandom& random) {
    std::vector<float> image(pixels * pixels, 0.5F);
    const auto side = static_cast<double>(pixels);
    for (double painted = 0; painted < cover * side * side;) {
        const auto leaf = random_leaf(side, random);
        paint(image, pixels, leaf);
        painted += leaf.area();
    }
    return image;
}

}  // namespace ventral::models

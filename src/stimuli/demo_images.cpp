#include "stimuli/demo_images.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/portable_random.hpp"

namespace ventral::stimuli {
namespace {

using Canvas = std::vector<double>;  // row × column × colour, grey is 0, black -1, white 1

constexpr int patches = 14;
constexpr int side = static_cast<int>(demo_image_pixels);

/// |u|^exponent + |v / aspect|^exponent < 1.
struct Shape {
    const char* name;
    double exponent;
    double aspect;
};

constexpr std::array<Shape, 8> shapes = {{{"disc", 2, 1},
                                          {"square", 8, 1},
                                          {"diamond", 1, 1},
                                          {"star", 0.6, 1},
                                          {"ellipse", 2, 0.5},
                                          {"bar", 8, 0.4},
                                          {"rhombus", 1, 0.5},
                                          {"cushion", 4, 0.7}}};

/// Where a thing is on the image and how it is turned.
struct Pose {
    double x, y, cosine, sine;

    double along(int column, int row) const { return (column - x) * cosine + (row - y) * sine; }
    double across(int column, int row) const { return (row - y) * cosine - (column - x) * sine; }
};

Pose draw_pose(core::PortableRandom& random, double least, double most) {
    Pose pose{};
    pose.x = random.uniform(least, most);
    pose.y = random.uniform(least, most);
    const double angle = random.uniform(0, std::numbers::pi);
    pose.cosine = std::cos(angle);
    pose.sine = std::sin(angle);
    return pose;
}

std::array<double, 3> draw_colour(core::PortableRandom& random, double least, double most) {
    std::array<double, 3> colour{};
    for (auto& channel : colour) channel = random.uniform(least, most);
    return colour;
}

template <typename Paint>
void for_each_pixel(Canvas& canvas, const Paint& paint) {
    auto* pixel = canvas.data();
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column, pixel += 3) paint(column, row, pixel);
}

void add_gabor_patch(Canvas& canvas, core::PortableRandom& random) {
    const auto pose = draw_pose(random, 0, side);
    const double frequency = random.uniform(0.09, 0.16);
    const double phase = random.uniform(0, 2 * std::numbers::pi);
    const double sigma = random.uniform(5, 10);
    const double contrast = random.uniform(0.1, 0.5);
    const auto colour = draw_colour(random, 0.4, 1);
    for_each_pixel(canvas, [&](int column, int row, double* pixel) {
        const double u = pose.along(column, row), v = pose.across(column, row);
        const double wave = contrast * std::exp(-(u * u + v * v) / (2 * sigma * sigma)) *
                            std::cos(2 * std::numbers::pi * frequency * u + phase);
        for (std::size_t c = 0; c < 3; ++c) pixel[c] += colour[c] * wave;
    });
}

void add_shape(Canvas& canvas, const Shape& shape, core::PortableRandom& random) {
    const auto pose = draw_pose(random, 20, 44);
    const double radius = random.uniform(8, 15);
    const auto colour = draw_colour(random, -0.5, 0.5);
    for_each_pixel(canvas, [&](int column, int row, double* pixel) {
        const double u = std::abs(pose.along(column, row)) / radius;
        const double v = std::abs(pose.across(column, row)) / (radius * shape.aspect);
        const double distance =
            std::pow(std::pow(u, shape.exponent) + std::pow(v, shape.exponent), 1 / shape.exponent);
        const double opacity = 1 / (1 + std::exp(8 * (distance - 1)));
        for (std::size_t c = 0; c < 3; ++c) pixel[c] += opacity * (colour[c] - 0.5 * pixel[c]);
    });
}

Image quantise(const Canvas& canvas) {
    Image image;
    image.width = image.height = demo_image_pixels;
    image.mode = PixelMode::rgb;
    for (const double value : canvas)
        image.pixels.push_back(
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(0.5 + 0.5 * value, 0.0, 1.0))));
    return image;
}

}  // namespace

DemoImage demo_image(std::size_t index, std::uint64_t seed) {
    core::PortableRandom random((seed << 32) + index);
    Canvas canvas(demo_image_pixels * demo_image_pixels * 3);
    const auto background = draw_colour(random, -0.15, 0.15);
    for_each_pixel(canvas, [&](int, int, double* pixel) {
        std::copy(background.begin(), background.end(), pixel);
    });
    for (int i = 0; i < patches; ++i) add_gabor_patch(canvas, random);
    const auto& shape = shapes[index % shapes.size()];
    add_shape(canvas, shape, random);
    return {quantise(canvas), shape.name};
}

}  // namespace ventral::stimuli

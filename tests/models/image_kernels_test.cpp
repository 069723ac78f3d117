#include "models/operators/image_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

using namespace ventral::models;
using Values = std::vector<float>;

namespace {

constexpr auto infinity = std::numeric_limits<float>::infinity();
const auto nan = std::numeric_limits<float>::quiet_NaN();

/// Whole numbers from -8 to 8.
Values numbers(std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 17) - 8;
    return values;
}

}  // namespace

TEST_CASE("values are scaled, shifted, added to and held in bounds, each by its channel") {
    const std::size_t channels = GENERATE(1, 7, 8, 19);
    constexpr std::size_t pixels = 5;
    const auto from = numbers(pixels * channels), other = numbers(pixels * channels + 3);
    const auto scale = numbers(channels), shift = numbers(channels + 5);
    const bool scales = GENERATE(false, true), adds = GENERATE(false, true);
    PixelSteps steps;
    if (scales) {
        steps.scale = scale;
        steps.shift = std::span(shift).last(channels);
    }
    if (adds) steps.other = other.data() + 3;
    steps.bounds = {-2, 5};
    Values expected;
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto value = from[i];
        if (scales) value = value * scale[i % channels] + shift[5 + i % channels];
        if (adds) value += other[3 + i];
        expected.push_back(std::min(std::max(value, -2.0F), 5.0F));
    }
    Values to(from.size());
    take_steps(from.data(), {pixels, channels}, steps, to.data());
    CHECK(to == expected);
    auto in_place = from;
    take_steps(in_place.data(), {pixels, channels}, steps, in_place.data());
    CHECK(in_place == expected);
}

TEST_CASE("bounds leave NaN and infinities as they are, and no negative zero at 0") {
    // Once in vectors of eight, once behind them.
    const Values from{nan, -infinity, infinity, -0.0F,     0,        -1,
                      7,   6,         nan,      -infinity, infinity, -0.0F};
    Values to(from.size());
    take_steps(from.data(), {1, from.size()}, {{}, {}, nullptr, {0, 6}}, to.data());
    for (const std::size_t i : {0, 8}) CHECK(std::isnan(to[i]));
    for (const std::size_t i : {1, 3, 4, 5, 9, 11}) {
        CHECK(to[i] == 0);
        CHECK_FALSE(std::signbit(to[i]));
    }
    for (const std::size_t i : {2, 6, 7, 10}) CHECK(to[i] == 6);
    take_steps(from.data(), {1, from.size()}, {{}, {}, nullptr, {}}, to.data());
    CHECK(std::memcmp(to.data(), from.data(), from.size() * sizeof(float)) == 0);
}

TEST_CASE("the largest value of each window and channel") {
    const std::size_t channels = GENERATE(3, 8, 45);
    const auto kernel = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3});
    const auto stride = GENERATE(std::size_t{1}, std::size_t{2});
    const auto padding = GENERATE(std::size_t{0}, std::size_t{1});
    if (padding > kernel / 2) return;
    const ImageSize size{7, 5, channels};
    const auto axis = [&](std::size_t length) {
        return PoolingAxis{kernel, stride, padding, (length + 2 * padding - kernel) / stride + 1};
    };
    const auto rows = axis(size.height), columns = axis(size.width);
    const auto from = numbers(size.height * size.width * channels);
    Values expected;
    for (std::size_t y = 0; y < rows.outputs; ++y)
        for (std::size_t x = 0; x < columns.outputs; ++x)
            for (std::size_t c = 0; c < channels; ++c) {
                float most = -infinity;
                for (std::size_t i = y * stride; i < y * stride + kernel; ++i)
                    for (std::size_t j = x * stride; j < x * stride + kernel; ++j) {
                        if (i < padding || i - padding >= size.height) continue;
                        if (j < padding || j - padding >= size.width) continue;
                        const auto place = (i - padding) * size.width + j - padding;
                        most = std::max(most, from[place * channels + c]);
                    }
                expected.push_back(std::max(most, -1.0F));
            }
    Values to(expected.size());
    max_pool(from.data(), size, rows, columns, {.lower = -1}, to.data());
    CHECK(to == expected);
}

TEST_CASE("a window with NaN gives NaN, one of negative infinities alone that") {
    const std::size_t channels = GENERATE(1, 8);
    const auto pooled = [&](float first, float second) {
        Values from(2 * channels, first), to(channels);
        std::fill_n(from.begin() + static_cast<std::ptrdiff_t>(channels), channels, second);
        max_pool(from.data(), {1, 2, channels}, {1, 1, 0, 1}, {2, 2, 0, 1}, {}, to.data());
        return to.back();
    };
    CHECK(std::isnan(pooled(nan, 1)));
    CHECK(std::isnan(pooled(1, nan)));
    CHECK(pooled(-infinity, -infinity) == -infinity);
}

TEST_CASE("joined channels stand beside each other in each pixel") {
    const Values first{1, -2, 3, -4}, second{5, 6};
    Values to(6);
    join_channels(first.data(), {2, 2}, {.lower = 0}, 3, to.data());
    join_channels(second.data(), {2, 1}, {}, 3, to.data() + 2);
    CHECK(to == Values{1, 0, 5, 3, 0, 6});
}

TEST_CASE("a padded image has the value around it and its own within bounds") {
    Values to(4 * 4 * 2);
    const Values image{1, -2, 3, 4};  // 1 × 2 pixels
    pad_image(image.data(), {1, 2, 2}, {2, 0, 1, 2}, -9, {.lower = 0}, to.data());
    Values expected(4 * 4 * 2, -9);
    const Values inner{1, 0, 3, 4};
    std::copy(inner.begin(), inner.end(), expected.begin() + (1 * 4 + 2) * 2);
    CHECK(to == expected);
}

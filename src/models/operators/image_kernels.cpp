#include "models/operators/image_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <immintrin.h>

namespace ventral::models {
namespace {

using Eight [[gnu::vector_size(32)]] = float;
constexpr std::size_t lanes = 8;

Eight load(const float* from) {
    Eight values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

Eight multiplied_added(const Eight& values, const Eight& factors, const Eight& terms) {
    return _mm256_fmadd_ps(values, factors, terms);
}

void store(const Eight& values, float* to) { std::memcpy(to, &values, sizeof values); }

/// The same for one value and for eight.
template <typename Values>
Values held(const Values& values, const Bounds& bounds) {
    const Values lower = values <= bounds.lower ? Values{} + bounds.lower : values;
    return lower >= bounds.upper ? Values{} + bounds.upper : lower;
}

template <bool scales, bool adds>
void take_steps_of_row(const float* from, std::size_t count, const PixelSteps& steps,
                       const float* other, float* to) {
    const auto bounds = steps.bounds;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        auto values = load(from + i);
        if constexpr (scales)
            values = multiplied_added(values, load(&steps.scale[i]), load(&steps.shift[i]));
        if constexpr (adds) values += load(other + i);
        store(held(values, bounds), to + i);
    }
    for (; i < count; ++i) {
        auto value = from[i];
        if constexpr (scales) value = std::fma(value, steps.scale[i], steps.shift[i]);
        if constexpr (adds) value += other[i];
        to[i] = held(value, bounds);
    }
}

template <bool adds>
void take_steps_with(const float* from, PixelBlock block, const PixelSteps& steps, float* to) {
    const auto [pixels, channels] = block;
    if (steps.scale.empty())
        return take_steps_of_row<false, adds>(from, pixels * channels, steps, steps.other, to);
    for (std::size_t begin = 0; begin < pixels * channels; begin += channels)
        take_steps_of_row<true, adds>(from + begin, channels, steps,
                                      adds ? steps.other + begin : nullptr, to + begin);
}

/// The larger, of which NaN is larger than any.
template <typename Values>
Values larger(const Values& most, const Values& values) {
    const auto is_larger = (values > most) | (values != values);
    return is_larger ? values : most;
}

/// The places of a window of an axis that lie in the image.
struct Reach {
    std::size_t begin;
    std::size_t end;
};

Reach reach(const PoolingAxis& axis, std::size_t output, std::size_t size) {
    const auto begin = output * axis.stride;
    const auto end = begin + axis.kernel;
    return {std::max(begin, axis.padding) - axis.padding,
            std::min(std::max(end, axis.padding) - axis.padding, size)};
}

/// Of `count` vectors of channels at a time, to have them in registers.
template <std::size_t count>
void pool_channels(const float* first, std::size_t rows, std::size_t columns, const ImageSize& size,
                   const Bounds& bounds, float* to) {
    std::array<Eight, count> most;
    most.fill(Eight{} - std::numeric_limits<float>::infinity());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            const auto* from = first + (row * size.width + column) * size.channels;
            for (std::size_t i = 0; i < count; ++i)
                most[i] = larger(most[i], load(from + i * lanes));
        }
    for (std::size_t i = 0; i < count; ++i) store(held(most[i], bounds), to + i * lanes);
}

void pool_window(const float* first, std::size_t rows, std::size_t columns, const ImageSize& size,
                 const Bounds& bounds, float* to) {
    constexpr std::size_t at_once = 4;
    std::size_t c = 0;
    for (; c + at_once * lanes <= size.channels; c += at_once * lanes)
        pool_channels<at_once>(first + c, rows, columns, size, bounds, to + c);
    for (; c + lanes <= size.channels; c += lanes)
        pool_channels<1>(first + c, rows, columns, size, bounds, to + c);
    for (; c < size.channels; ++c) {
        auto most = -std::numeric_limits<float>::infinity();
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < columns; ++column)
                most = larger(most, first[(row * size.width + column) * size.channels + c]);
        to[c] = held(most, bounds);
    }
}

}  // namespace

void take_steps(const float* from, PixelBlock block, const PixelSteps& steps, float* to) {
    if (steps.other)
        take_steps_with<true>(from, block, steps, to);
    else
        take_steps_with<false>(from, block, steps, to);
}

void max_pool(const float* from, ImageSize size, PoolingAxis rows, PoolingAxis columns,
              Bounds bounds, float* to) {
    for (std::size_t y = 0; y < rows.outputs; ++y) {
        const auto vertical = reach(rows, y, size.height);
        for (std::size_t x = 0; x < columns.outputs; ++x, to += size.channels) {
            const auto horizontal = reach(columns, x, size.width);
            const auto first = vertical.begin * size.width + horizontal.begin;
            pool_window(from + first * size.channels, vertical.end - vertical.begin,
                        horizontal.end - horizontal.begin, size, bounds, to);
        }
    }
}

void join_channels(const float* from, PixelBlock block, Bounds bounds, std::size_t step,
                   float* to) {
    for (std::size_t pixel = 0; pixel < block.pixels; ++pixel)
        take_steps_of_row<false, false>(from + pixel * block.channels, block.channels,
                                        {{}, {}, nullptr, bounds}, nullptr, to + pixel * step);
}

void pad_image(const float* from, ImageSize size, Edges edges, float value, Bounds bounds,
               float* to) {
    const auto row = size.width * size.channels;
    const auto left = edges.left * size.channels;
    const auto right = edges.right * size.channels;
    const auto outer_row = left + row + right;
    to = std::fill_n(to, edges.top * outer_row, value);
    for (std::size_t y = 0; y < size.height; ++y) {
        to = std::fill_n(to, left, value);
        take_steps_of_row<false, false>(from + y * row, row, {{}, {}, nullptr, bounds}, nullptr,
                                        to);
        to += row;
        to = std::fill_n(to, right, value);
    }
    std::fill_n(to, edges.bottom * outer_row, value);
}

}  // namespace ventral::models

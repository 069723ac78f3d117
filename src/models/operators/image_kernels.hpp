#pragma once
/// @file
/// What operators of networks do to images in channels_last: pixel after pixel, each with all its
/// channels. libtorch 1.13 does the same in more passes over memory, or channel after channel.
/// Every value is made by the same arithmetic wherever it lies.

#include <cstddef>
#include <limits>
#include <span>

namespace ventral::models {

/// What values are held in: one at or beyond a bound becomes the bound. NaN stays, and a negative
/// zero at the bound 0 becomes 0.
struct Bounds {
    float lower = -std::numeric_limits<float>::infinity();
    float upper = std::numeric_limits<float>::infinity();
};

/// A part of a tensor: `channels` values of each of `pixels` pixels, one after the other.
struct PixelBlock {
    std::size_t pixels;
    std::size_t channels;
};

/// What is to be done to values, from left to right: value · scale + shift, rounded once, + other,
/// bounds. `scale` and `shift` have an entry per channel, or none; `other` one per value, or none.
struct PixelSteps {
    std::span<const float> scale;
    std::span<const float> shift;
    const float* other = nullptr;
    Bounds bounds;
};

/// `to` may be `from`.
void take_steps(const float* from, PixelBlock block, const PixelSteps& steps, float* to);

/// An image in memory.
struct ImageSize {
    std::size_t height;
    std::size_t width;
    std::size_t channels;
};

/// Of one axis: the stimulus is padded with nothing, so that windows at the edge are smaller.
struct PoolingAxis {
    std::size_t kernel;
    std::size_t stride;
    std::size_t padding;
    std::size_t outputs;
};

/// The largest value of each window and channel, then held in `bounds`; NaN if the window has one.
/// `F.max_pool2d` of one image. No window lies outside of the image.
void max_pool(const float* from, ImageSize size, PoolingAxis rows, PoolingAxis columns,
              Bounds bounds, float* to);

/// The channels of one of several tensors that are joined: `from` is pixels × its channels, `to`
/// the place of its first channel in the first pixel of the whole, which has `step` channels.
void join_channels(const float* from, PixelBlock block, Bounds bounds, std::size_t step, float* to);

/// How many rows and columns of `value` are put around an image.
struct Edges {
    std::size_t left, right, top, bottom;
};

/// `F.pad` with a constant, of one image whose values are held in `bounds`.
void pad_image(const float* from, ImageSize size, Edges edges, float value, Bounds bounds,
               float* to);

}  // namespace ventral::models

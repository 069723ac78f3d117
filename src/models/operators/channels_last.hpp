#pragma once
/// @file
/// Tensors of images that lie pixel after pixel, each with all its channels.

#include "models/operators/image_kernels.hpp"

namespace at {
class Tensor;
}

namespace ventral::models {

/// Float32 of four axes, in memory as its values are, on the CPU and not empty.
bool is_image_like(const at::Tensor& tensor);

/// Whether it is `is_image_like` and lies in channels_last without gaps.
bool lies_in_channels_last(const at::Tensor& tensor);

/// The tensor, or a copy of it in channels_last: also where an axis of one element leaves open what
/// its strides say.
at::Tensor in_channels_last(const at::Tensor& tensor);

/// As many images as `like` has, of this size, not yet filled.
at::Tensor empty_in_channels_last(const at::Tensor& like, const ImageSize& size);

/// Of each of its images.
ImageSize image_size(const at::Tensor& images);

}  // namespace ventral::models

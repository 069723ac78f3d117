#pragma once
/// @file
/// From an image to the tensor that a network reads: torchvision's Resize, CenterCrop, ToTensor and
/// Normalize (0.14), bit for bit. Two orders: ToTensor last but one, on PIL images, or first.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/image.hpp"
#include "stimuli/resize.hpp"

namespace ventral::stimuli {

struct Preprocessing {
    /// What resizes and crops: PIL, or torch on tensors without antialiasing.
    enum class Backend { pil, tensor };

    Backend backend = Backend::pil;
    std::optional<std::size_t> resize;  ///< the short side; the long one follows, truncated
    std::optional<Size> resize_exact;   ///< both sides, whatever the aspect; not with `resize`
    std::optional<std::size_t>
        crop;  ///< side of the centred square; smaller images get black edges
    Interpolation interpolation = Interpolation::bilinear;
    std::array<float, 3> mean{0.0F, 0.0F, 0.0F};  ///< per channel, of values in 0..1
    std::array<float, 3> standard_deviation{1.0F, 1.0F, 1.0F};
    bool operator==(const Preprocessing&) const = default;
};

/// Throws `InputError` if a size is zero, both resizes are given, a mean is not finite, a standard
/// deviation is not finite and positive, or torch lacks the interpolation.
void check(const Preprocessing& preprocessing);

/// All fields as one line; equal texts mean equal tensors. Used in keys.
std::string description(const Preprocessing& preprocessing);

/// Channels, height, width.
using TensorShape = std::array<std::size_t, 3>;

/// The shape of the tensor of an image of this size.
TensorShape tensor_shape(const Preprocessing& preprocessing, Size image);
/// The shape that all images get, or nothing if it depends on the image.
std::optional<TensorShape> tensor_shape(const Preprocessing& preprocessing);

/// Values of 3 × `from` → 3 × `to`, as torch's `interpolate` does it: only `models` knows torch.
using ResizeTensor =
    std::function<std::vector<float>(std::vector<float>, Size from, Size to, Interpolation)>;

/// Channel × row × column. `resize_tensor` is needed by the backend `tensor` alone. Throws
/// `InputError` as `check` and `resize` do.
std::vector<float> preprocess(const Image& image, const Preprocessing& preprocessing,
                              const ResizeTensor& resize_tensor = {});

}  // namespace ventral::stimuli

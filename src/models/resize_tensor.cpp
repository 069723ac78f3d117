#include "models/resize_tensor.hpp"

#include <array>
#include <cassert>
#include <cstdint>

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <c10/core/InferenceMode.h>

namespace ventral::models {
namespace {

at::Tensor interpolated(const at::Tensor& image, at::IntArrayRef size,
                        stimuli::Interpolation interpolation) {
    constexpr bool align_corners = false;
    switch (interpolation) {
        case stimuli::Interpolation::nearest:
            return at::upsample_nearest2d(image, size, c10::nullopt);
        case stimuli::Interpolation::bilinear:
            return at::upsample_bilinear2d(image, size, align_corners, c10::nullopt);
        case stimuli::Interpolation::bicubic:
            return at::upsample_bicubic2d(image, size, align_corners, c10::nullopt);
        case stimuli::Interpolation::box:
        case stimuli::Interpolation::lanczos:
            break;  // refused by `stimuli::check`
    }
    assert(false);
    return image;
}

}  // namespace

std::vector<float> resize_tensor(std::vector<float> values, stimuli::Size from, stimuli::Size to,
                                 stimuli::Interpolation interpolation) {
    assert(values.size() == 3 * from.height * from.width);
    const c10::InferenceMode inference;
    const auto sides = [](stimuli::Size size) {
        return std::array{static_cast<std::int64_t>(size.height),
                          static_cast<std::int64_t>(size.width)};
    };
    const auto [height, width] = sides(from);
    const auto image = at::from_blob(values.data(), {1, 3, height, width}, at::kFloat);
    const auto resized = interpolated(image, sides(to), interpolation).contiguous();
    const auto* first = resized.data_ptr<float>();
    return {first, first + resized.numel()};
}

}  // namespace ventral::models

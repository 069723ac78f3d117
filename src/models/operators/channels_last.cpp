#include "models/operators/channels_last.hpp"

#include <ATen/ATen.h>

namespace ventral::models {
namespace {

constexpr auto channels_last = at::MemoryFormat::ChannelsLast;

}

bool is_image_like(const at::Tensor& tensor) {
    return tensor.defined() && tensor.layout() == at::kStrided && tensor.device().is_cpu() &&
           tensor.scalar_type() == at::kFloat && !tensor.is_neg() && tensor.dim() == 4 &&
           tensor.numel() > 0;
}

bool lies_in_channels_last(const at::Tensor& tensor) {
    return is_image_like(tensor) && tensor.suggest_memory_format() == channels_last &&
           tensor.is_contiguous(channels_last);
}

at::Tensor in_channels_last(const at::Tensor& tensor) {
    const auto height = tensor.size(2), width = tensor.size(3), channels = tensor.size(1);
    if (tensor.strides() ==
        at::IntArrayRef{height * width * channels, 1, width * channels, channels})
        return tensor;
    auto ordered = at::empty(tensor.sizes(), tensor.options().memory_format(channels_last));
    return ordered.copy_(tensor);
}

ImageSize image_size(const at::Tensor& images) {
    return {static_cast<std::size_t>(images.size(2)), static_cast<std::size_t>(images.size(3)),
            static_cast<std::size_t>(images.size(1))};
}

at::Tensor empty_in_channels_last(const at::Tensor& like, const ImageSize& size) {
    return at::empty(
        {like.size(0), static_cast<std::int64_t>(size.channels),
         static_cast<std::int64_t>(size.height), static_cast<std::int64_t>(size.width)},
        like.options().memory_format(channels_last));
}

}  // namespace ventral::models

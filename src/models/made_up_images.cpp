#include "models/made_up_images.hpp"

#include "core/portable_random.hpp"

namespace ventral::models {

std::vector<float> made_up_images(BatchShape shape) {
    core::PortableRandom random(0);
    std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]));
    for (auto& value : values) value = static_cast<float>(random.uniform(-2, 2));
    return values;
}

}  // namespace ventral::models

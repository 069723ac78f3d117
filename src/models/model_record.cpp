#include "models/model_record.hpp"

#include <algorithm>

namespace ventral::models {

std::size_t images_at_once(const ModelRecord& model) {
    constexpr std::size_t fewest = 8;
    const std::size_t of_pass = std::max<std::size_t>(model.batch_size, 1);
    return (fewest + of_pass - 1) / of_pass * of_pass;
}

}  // namespace ventral::models

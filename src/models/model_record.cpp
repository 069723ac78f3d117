#include "models/model_record.hpp"

#include <algorithm>

#include "core/ceil_divide.hpp"

namespace ventral::models {

bool has_stored_features(const ModelRecord& model) {
    return !model.features.path.empty() || !model.features_of.empty() || !model.dataset.empty();
}

ModelName full_name(const ModelRecord& model) { return {model.identifier, model.dataset}; }

std::size_t answer_bins(const ModelRecord& model) {
    return model.time ? model.time->bins.size() : 1;
}

std::size_t images_at_once(const ModelRecord& model) {
    constexpr std::size_t fewest = 8;
    const std::size_t of_pass = std::max<std::size_t>(model.batch_size, 1);
    return core::round_up(fewest, of_pass);
}

}  // namespace ventral::models

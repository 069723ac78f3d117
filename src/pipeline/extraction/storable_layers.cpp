#include "pipeline/extraction/storable_layers.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace ventral::pipeline {
namespace {

[[noreturn]] void refuse_to_store(const models::ModelRecord& model, const std::string& layer,
                                  const std::string& why) {
    throw core::InputError(model.origin + ": layer '" + layer + "' cannot be stored (" + why + ")");
}

}  // namespace

void check_storable_name(const models::ModelRecord& model, const std::string& layer) {
    if (layer.find('/') != std::string::npos)
        refuse_to_store(model, layer, "its name has a '/', which divides names in HDF5");
}

void check_storable_size(const models::LayerShape& shape, const models::ModelRecord& model,
                         const std::string& layer) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        refuse_to_store(model, layer, "it has no number for a stimulus");
}

}  // namespace ventral::pipeline

#include "pipeline/stored_features.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "metrics/presentation_matrix.hpp"
#include "pipeline/configured_assembly.hpp"

namespace ventral::pipeline {

core::Assembly read_stored(const models::ModelRecord& model) {
    return read_configured(model.features_file, model.features_variable);
}

std::vector<std::string> stored_layers(const core::Assembly& features) {
    const auto* labels = core::find_coordinate(features, "layer");
    if (!labels || labels->dim != "neuroid") return {only_layer};
    std::vector<std::string> layers;
    for (const auto& layer : core::texts(features, "layer"))
        if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
    return layers;
}

core::Assembly stored_layer(const core::Assembly& features, const std::string& layer) {
    const auto table = metrics::presentation_by_neuroid(features);
    const auto layers = stored_layers(table);
    if (std::find(layers.begin(), layers.end(), layer) == layers.end())
        throw core::InputError("the stored features have no layer '" + layer + "'" +
                               core::near_names(layer, layers));
    if (!core::find_coordinate(table, "layer")) return table;
    std::vector<std::size_t> columns;
    const auto labels = core::texts(table, "layer");
    for (std::size_t j = 0; j < labels.size(); ++j)
        if (labels[j] == layer) columns.push_back(j);
    return core::take(table, "neuroid", columns);
}

}  // namespace ventral::pipeline

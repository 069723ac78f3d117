#include "pipeline/stored_features.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/time_bins.hpp"
#include "models/time_bins.hpp"
#include "pipeline/configured_assembly.hpp"

namespace ventral::pipeline {

namespace {

core::Assembly layer_of(const core::Assembly& features, const std::string& layer) {
    auto columns = stored_columns(features, layer);
    if (columns.size() == core::dimension_size(features, "neuroid")) return features;
    return core::take(features, "neuroid", columns);
}

}  // namespace

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

bool change_in_time(const core::Assembly& features) {
    return core::has_dimension(features, "time_bin") &&
           core::dimension_size(features, "time_bin") > 1;
}

std::vector<benchmarks::TimeBin> own_time_bins(const core::Assembly& features) {
    std::vector<benchmarks::TimeBin> bins;
    if (!change_in_time(features)) return bins;
    for (const auto& bin : models::time_bins_of(features))
        bins.emplace_back(bin.start_ms, bin.end_ms);
    return bins;
}

std::size_t rows_in_time(const core::Assembly& features) {
    return core::dimension_size(features, "presentation") *
           (change_in_time(features) ? core::dimension_size(features, "time_bin") : 1);
}

std::vector<std::size_t> stored_columns(const core::Assembly& features, const std::string& layer) {
    const auto layers = stored_layers(features);
    if (std::find(layers.begin(), layers.end(), layer) == layers.end())
        throw core::InputError("the stored features have no layer '" + layer + "'" +
                               core::near_names(layer, layers));
    const auto* labels = core::find_coordinate(features, "layer");
    const bool is_labelled = labels && labels->dim == "neuroid";
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < core::dimension_size(features, "neuroid"); ++j)
        if (!is_labelled || core::text(labels->values, j) == layer) columns.push_back(j);
    return columns;
}

std::size_t stored_layer_size(const core::Assembly& features, const std::string& layer) {
    return stored_columns(features, layer).size();
}

core::Assembly stored_layer(const core::Assembly& features, const std::string& layer) {
    return metrics::presentation_by_neuroid(layer_of(features, layer));
}

bool is_layer_itself(const core::Assembly& features, const std::string& layer) {
    return features.dims.size() == 2 && features.dims[0].name == "presentation" &&
           features.dims[1].name == "neuroid" &&
           stored_layer_size(features, layer) == features.dims[1].size;
}

core::Assembly stored_layer(const core::Assembly& features, const std::string& layer,
                            const std::vector<benchmarks::TimeBin>& bins) {
    if (bins.empty())
        return change_in_time(features)
                   ? metrics::time_bins_as_presentations(layer_of(features, layer))
                   : stored_layer(features, layer);
    std::vector<models::TimeBin> wanted;
    for (const auto& [start, end] : bins) wanted.push_back({start, end});
    auto part = layer_of(features, layer);
    part.name = "the model's features";  // as messages are to call them
    return metrics::time_bins_as_presentations(models::align_time_bins(part, wanted));
}

}  // namespace ventral::pipeline

#include "pipeline/inputs/fitting_features.hpp"

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "pipeline/inputs/stored_features.hpp"

namespace ventral::pipeline {
namespace {

/// Those of a layer; none if they have no such names.
std::vector<std::string> names_of(const core::Assembly& features, const std::string& layer) {
    const auto* names = core::find_coordinate(features, "neuroid_id", "neuroid");
    if (!names) return {};
    std::vector<std::string> of_layer;
    for (const auto column : stored_columns(features, layer))
        of_layer.push_back(core::text(names->values, column));
    return of_layer;
}

void check_names(const core::Assembly& fitting, const core::Assembly& features,
                 const std::string& layer) {
    const auto theirs = names_of(fitting, layer);
    const auto ours = names_of(features, layer);
    if (theirs.empty() || ours.empty()) return;
    const auto [their, our] = std::mismatch(theirs.begin(), theirs.end(), ours.begin());
    if (their != theirs.end())
        throw core::InputError(fitting.name + ": layer '" + layer + "' has the neuroid '" + *their +
                               "' where " + features.name + " has '" + *our +
                               "' (components belong to the same features in the same order)");
}

}  // namespace

StoredFeatures open_fitting(const models::ModelRecord& model, std::size_t threads) {
    return StoredFeatures(model.pca->features.path, model.pca->features.variable, threads);
}

void check_fitting(const core::Assembly& fitting, const core::Assembly& features,
                   const std::string& layer) {
    std::size_t size = 0;
    try {
        size = stored_layer_size(fitting, layer);
    } catch (const core::InputError& error) {
        throw core::InputError(fitting.name + ": " + error.what());
    }
    const std::size_t wanted = stored_layer_size(features, layer);
    if (size != wanted)
        throw core::InputError(fitting.name + ": layer '" + layer + "' has " +
                               std::to_string(size) + " features, but " + std::to_string(wanted) +
                               " in " + features.name +
                               " (components belong to the same features in both)");
    check_names(fitting, features, layer);
    if (own_time_bins(fitting) != own_time_bins(features))
        throw core::InputError(fitting.name + ": its time bins are not those of " + features.name +
                               " (components are fitted on all of them)");
}

}  // namespace ventral::pipeline

#pragma once
/// @file
/// A layer's features projected on the principal components of the same layer over other images, in
/// a file that then stands for the layer.

#include <cstddef>
#include <string>

#include "pipeline/feature_columns.hpp"
#include "pipeline/team_context.hpp"

namespace ventral::pipeline {

struct ProjectionRequest {
    FeatureColumns fitted;  ///< of the images that the components are fitted on
    std::size_t fitted_rows = 0;
    FeatureColumns projected;
    std::size_t projected_rows = 0;
    std::size_t components = 0;
};

/// Writes float64 [presentation, neuroid] as stored features without coordinates: rows in the order
/// of the activations, at most as many components as fitting images. One rank alone, with its
/// workers; the bits do not depend on them. Throws `core::InputError` as `stats/layer_pca.hpp`.
void write_projection(const std::string& path, const ProjectionRequest& request,
                      TeamContext& context);

}  // namespace ventral::pipeline

#pragma once
/// @file
/// A layer's features projected on the principal components of the same layer over other images, in
/// a file that then stands for the layer. Of features that change in time there is one projection:
/// its components are fitted on all time bins of all these images, each a row, as Brain-Score's
/// SpanTime metrics fit, so that a component is the same in every bin. A weighted average over bins
/// of the projections is then the projection of that average.

#include <cstddef>
#include <string>

#include "core/time_bin.hpp"
#include "pipeline/fit/feature_columns.hpp"
#include "pipeline/schedule/team_context.hpp"

namespace ventral::pipeline {

struct ProjectionRequest {
    FeatureColumns fitted;  ///< of the images that the components are fitted on
    std::size_t fitted_rows = 0;
    FeatureColumns projected;
    std::size_t projected_rows = 0;  ///< in all time bins, one after the other
    std::size_t components = 0;
    core::TimeBins time_bins = {};  ///< none: the features do not change in time
};

/// Writes float64 [presentation, neuroid], with time bins [time_bin, presentation, neuroid], as
/// stored features without other coordinates: rows in the order of the activations, at most as many
/// components as fitted rows, and the key that it is named by. One rank alone, with its workers;
/// the bits do not depend on them. Throws `core::InputError` as `stats/gram/layer_pca.hpp`.
void write_projection(const std::string& path, const ProjectionRequest& request,
                      TeamContext& context);

}  // namespace ventral::pipeline

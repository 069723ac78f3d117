#include "pipeline/fit/layer_projection.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "stats/gram/gram_block.hpp"
#include "stats/gram/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

/// The rows of a file in their order.
stats::StreamedFeatures features_of(const FeatureColumns& columns, std::size_t rows) {
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return {rows, columns.features(), columns.reader(std::move(order))};
}

stats::LayerPca fit(const stats::StreamedFeatures& images, std::size_t components,
                    core::Workers& workers) {
    const stats::GramBlock block(images.rows, images.features);
    stats::build_gram(images, block.memory(), workers, {});
    const auto rows = static_cast<Eigen::Index>(images.rows);
    return stats::fit_layer_pca(stats::MatrixView(block.memory().kernel.data(), rows, rows),
                                components);
}

/// Rows of one time bin after the other.
core::Assembly stored(const stats::Matrix& projected, const core::TimeBins& bins) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(projected.size()));
    for (Eigen::Index i = 0; i < projected.rows(); ++i)
        for (Eigen::Index j = 0; j < projected.cols(); ++j) values.push_back(projected(i, j));
    core::Assembly assembly;
    assembly.dims = {{"presentation", static_cast<std::size_t>(projected.rows())},
                     {"neuroid", static_cast<std::size_t>(projected.cols())}};
    assembly.values = std::move(values);
    if (bins.empty()) return assembly;
    assembly.dims[0].size /= bins.size();
    assembly.dims.insert(assembly.dims.begin(), {"time_bin", bins.size()});
    assembly.coordinates = core::time_coordinates(bins);
    return assembly;
}

}  // namespace

void write_projection(const std::string& path, const ProjectionRequest& request,
                      TeamContext& context) {
    const auto fitted = features_of(request.fitted, request.fitted_rows);
    const auto pca = fit(fitted, request.components, context.workers);
    const auto projected = stats::project_on_components(
        pca, fitted, features_of(request.projected, request.projected_rows), context.workers);
    auto assembly = stored(projected, request.time_bins);
    assembly.attributes["key"] = key_in_projection_name(path);
    io::write_assembly(path, assembly);
}

}  // namespace ventral::pipeline

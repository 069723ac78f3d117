// The part of `UnitFeatures` that concerns the PCA of a model.
#include <filesystem>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/netcdf_assembly.hpp"
#include "pipeline/from_first_rank.hpp"
#include "pipeline/keys.hpp"
#include "pipeline/layer_projection.hpp"
#include "pipeline/unit.hpp"
#include "pipeline/unit_features.hpp"
#include "stats/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

/// A damaged one is made again.
bool has_projection(const std::string& path) {
    try {
        return std::filesystem::exists(path) && io::read_assembly(path).dims.size() == 2;
    } catch (const core::InputError& error) {
        core::log_warning(std::string(error.what()) + "; the projection is made again");
        return false;
    }
}

}  // namespace

std::string UnitFeatures::projection_path(const std::string& layer) const {
    return context_.out + "/activations/" +
           projected_layer_key(unit_.key, unit_.projection, layer, context_.fingerprint) + ".nc";
}

std::string UnitFeatures::projected(const std::string& layer, const Wanted& wanted) {
    if (unit_.projection.empty()) return {};
    const auto path = projection_path(layer);
    const auto found = from_first_rank<std::string>(
        context_.team, [&] { return has_projection(path) ? path : std::string(); });
    if (found.empty()) {
        const auto recorded = recorded_columns(layer, wanted);
        if (stats::passes_through_pca(recorded.features, pca().components)) return {};
        project(recorded, wanted, path);
    }
    used_paths_.insert(path);
    return path;
}

void UnitFeatures::project(const LayerColumns& layer, const Wanted& wanted,
                           const std::string& path) {
    auto& fitting = fitting_features();
    const auto fitted = fitting.columns_of({layer.layer}, wanted.layers);
    const ProjectionRequest request{fitted, fitting.stimulus_ids().size(), FeatureColumns({layer}),
                                    stimulus_ids().size(), pca().components};
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads()) return;
        try {
            write_projection(path, request, context_);
        } catch (const core::OutputError&) {
            throw;
        } catch (const core::InputError& error) {
            throw core::InputError(inputs_.run.models[unit_.model].origin + ": layer '" +
                                   layer.layer + "', [pca] on dataset '" + pca().dataset +
                                   "': " + error.what());
        }
    });
}

const models::PcaRecord& UnitFeatures::pca() const { return *inputs_.run.models[unit_.model].pca; }

UnitFeatures& UnitFeatures::fitting_features() {
    if (fitting_) return *fitting_;
    const auto& model = inputs_.run.models[unit_.model];
    fitting_unit_.model = unit_.model;
    fitting_unit_.dataset = model.pca->dataset;
    fitting_unit_.key = activations_key(inputs_.facts.models.at(model.identifier).content_key,
                                        inputs_.facts.datasets.at(model.pca->dataset).stimuli_key);
    fitting_ = std::make_unique<UnitFeatures>(fitting_unit_, inputs_, context_);
    return *fitting_;
}

}  // namespace ventral::pipeline

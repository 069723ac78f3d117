// The part of `UnitFeatures` that concerns the PCA of a model.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "pipeline/fit/layer_projection.hpp"
#include "pipeline/fit/unit_features.hpp"
#include "pipeline/fit/unit_inputs.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/fitting_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/journal/checkpoints.hpp"
#include "stats/gram/layer_pca.hpp"

namespace ventral::pipeline {
namespace {

/// A file of that name may be another one.
core::Assembly read_projection(const std::string& path) {
    auto projection = io::read_assembly(path);
    const auto key = projection.attributes.find("key");
    if (key == projection.attributes.end() ||
        key->second != core::Attribute(key_in_projection_name(path)))
        throw core::InputError(path + ": holds the projection of another layer");
    return projection;
}

}  // namespace

std::string UnitFeatures::projection_path(const std::string& layer) const {
    return pipeline::projection_path(
        context_.out,
        projected_layer_key(unit_.key, unit_.projection, layer, context_.fingerprint));
}

/// A damaged one is made again.
bool UnitFeatures::has_projection(const std::string& path) {
    if (projection_ && projection_->path == path && in_use_.is_there(path)) return true;
    if (!in_use_.add(path)) return false;
    try {
        projection_ = ReadProjection{path, read_projection(path)};
        return true;
    } catch (const core::InputError& error) {
        in_use_.release(path);
        core::log_warning(std::string(error.what()) + "; the projection is made again");
        return false;
    }
}

const core::Assembly& UnitFeatures::projection_at(const std::string& path) {
    const auto time = context_.time(Stage::io);
    if (!has_projection(path)) throw_removed(path);
    return projection_->features;
}

std::string UnitFeatures::projected(const std::string& layer, const Wanted& wanted) {
    if (unit_.projection.empty()) return {};
    const auto path = projection_path(layer);
    const auto found = comm::from_first_rank<std::string>(
        context_.team, [&] { return has_projection(path) ? path : std::string(); });
    if (found.empty()) {
        const auto own = own_columns(layer, wanted);
        if (stats::passes_through_pca(own.features, model_.pca->components)) return {};
        project(own, wanted, path);
    }
    return path;
}

core::TimeBins UnitFeatures::own_bins() const {
    if (is_stored()) return own_time_bins(stored_->labels());
    const auto& time = model_.time;
    return time ? time->bins : core::TimeBins{};
}

StoredFeatures UnitFeatures::open_fitting_for(const std::string& layer) const {
    if (inputs_.truth) inputs_.truth->require_file(model_.pca->features.path);
    auto fitting = open_fitting(model_, context_.workers.threads());
    check_fitting(fitting.labels(), stored_->labels(), layer);
    return fitting;
}

std::vector<OpenLayer> UnitFeatures::to_project(const std::string& layer,
                                                std::vector<OpenLayer> layers) const {
    std::erase_if(layers, [&](const OpenLayer& each) {
        return each.name != layer && io::is_there(projection_path(each.name));
    });
    return layers;
}

void UnitFeatures::project(const LayerColumns& layer, const Wanted& wanted,
                           const std::string& path) {
    std::optional<FeatureColumns> images;
    if (!is_stored())
        images =
            fitting_features().columns_of({layer.layer}, to_project(layer.layer, wanted.layers));
    const std::size_t image_count = images ? fitting_features().stimulus_ids().size() : 0;
    const std::size_t stimuli = stimulus_ids().size();
    comm::run_collectively(context_.team, [&] {
        if (!context_.leads()) return;
        const auto bins = own_bins();
        const std::size_t times = std::max<std::size_t>(bins.size(), 1);
        std::optional<StoredFeatures> stored;
        if (!images) stored.emplace(open_fitting_for(layer.layer));
        try {
            const auto& file = model_.pca->features.path;
            const auto fitted = images ? *images
                                       : FeatureColumns({{file, layer.layer, true, layer.features}},
                                                        {file, &*stored});
            write_projection(
                path,
                {fitted, images ? image_count * times : rows_in_time(stored->labels()),
                 FeatureColumns({layer}, at_hand()), stimuli * times, model_.pca->components, bins},
                context_);
            require_files();
            in_use_.add(path);
        } catch (const core::TransientError&) {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);
            throw;
        } catch (const core::InputError& error) {
            require_files();
            throw core::InputError(pca_place(layer.layer) + error.what());
        }
    });
}

std::string UnitFeatures::pca_place(const std::string& layer) const {
    return model_.origin + ": layer '" + layer + "', [pca] on " +
           (is_stored() ? model_.pca->features.path : "dataset '" + model_.pca->dataset + "'") +
           ": ";
}

UnitFeatures& UnitFeatures::fitting_features() {
    if (fitting_) return *fitting_;
    fitting_unit_.model = unit_.model;
    fitting_unit_.dataset = model_.pca->dataset;
    fitting_unit_.key = fitting_key(model_, inputs_.facts);
    fitting_ = std::make_unique<UnitFeatures>(fitting_unit_, inputs_, context_);
    return *fitting_;
}

}  // namespace ventral::pipeline

#include "pipeline/inputs/model_facts.hpp"

#include "core/log.hpp"
#include "io/activations/activations_file.hpp"
#include "io/hdf5/survivable.hpp"
#include "io/input_file.hpp"
#include "io/netcdf/packing.hpp"
#include "models/network/load_network.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "pipeline/inputs/fitting_features.hpp"
#include "pipeline/inputs/keys.hpp"
#include "pipeline/inputs/name_list.hpp"
#include "pipeline/inputs/shown_degrees.hpp"
#include "pipeline/inputs/stored_features.hpp"

namespace ventral::pipeline {
namespace {

std::vector<std::string> layers_of_network(const models::ModelRecord& model) {
    return models::load_network(model).layers();
}

/// By the way in which networks are read here.
std::string listing_layers() {
    return "layers of a network " + std::to_string(layer_list_version) + ", " +
           models::torch_fingerprint();
}

std::vector<std::string> layers_of_network(const models::ModelRecord& model, HashCache& known) {
    const auto listed = known.of(listing_layers(), {model.weights_file},
                                 [&] { return name_list(layers_of_network(model)); });
    return names_in(listed.text);
}

/// In place of the size of a file of weights, which orders the units: that of a small network.
constexpr double builtin_weight_bytes = 5e6;

ModelFacts facts_of_builtin(const models::ModelRecord& model, config::LayerChoice layers) {
    ModelFacts facts;
    facts.device = device_of(model);
    facts.content_key = model_key(model, models::content_hash(*model.builtin));
    if (layers == config::LayerChoice::all) facts.layers = layers_of_network(model);
    return facts;
}

/// Throws `core::InputError` if a file of activations is not what `extract` has written. Other
/// files of features have no checksums.
void verify_extracted(const std::string& path, HashCache& known) {
    known.of("verified activations 1", {path}, [&] {
        if (!is_extracted(path)) return "other";
        io::require_survivable(path, [&] { io::ActivationsFile(path).visual_degrees(); });
        core::log_info("verifying the checksums of " + path);
        const io::ActivationsFile file(path);
        for (const auto& layer : file.layers()) file.verify(layer.name);
        return "whole";
    });
}

/// Names what a file was read for, in the way that this version reads.
std::string reading(const std::string& what) {
    return what + " " + std::to_string(io::unpacking_version) + " ";
}

void add_stored(ModelFacts& facts, const models::ModelRecord& model, HashCache& known) {
    verify_extracted(model.features.path, known);
    const auto content =
        known.of(reading("stored features") + model.features.variable, {model.features.path}, [&] {
            const auto stored = open_stored(model);
            const auto& features = stored.labels();
            return (change_in_time(features) ? "t" : "s") + name_list(stored_layers(features));
        });
    facts.layers = names_in(content.text.substr(1));
    facts.in_time = content.text.front() == 't';
    if (facts.in_time) facts.content_key = in_time_key(facts.content_key);
}

/// Of the stored features that the PCA of others is fitted on.
void add_fitting(ModelFacts& facts, const models::ModelRecord& model, Hasher& hasher) {
    const auto& pca = *model.pca;
    facts.fitting_key = assembly_key(pca.features.variable, hasher.sha256(pca.features.path));
    if (pca.features.path != model.features.path)
        verify_extracted(pca.features.path, hasher.known());
    const auto rows = hasher.known().of(
        reading("rows of features") + pca.features.variable, {pca.features.path},
        [&] { return std::to_string(rows_in_time(open_fitting(model).labels())); });
    facts.fitting_rows = std::stoul(rows.text);
}

}  // namespace

ModelFacts facts_of(const models::ModelRecord& model, config::LayerChoice layers, Hasher& hasher,
                    const std::function<void()>& before_loading) {
    if (!model.problem.empty()) throw core::InputError(model.problem);
    if (model.builtin) {
        before_loading();
        return facts_of_builtin(model, layers);
    }
    ModelFacts facts;
    const bool stored = has_stored_features(model);
    const std::string& path = stored ? model.features.path : model.weights_file;
    const std::string hash = hasher.sha256(path);
    if (!stored) {
        compare_checksum(path, "sha256", model.weights_sha256, hash);
        before_loading();
    }
    facts.device = device_of(model);
    facts.content_key = model_key(model, hash);
    if (stored) add_stored(facts, model, hasher.known());
    if (stored && model.pca) add_fitting(facts, model, hasher);
    if (!stored && layers == config::LayerChoice::all)
        facts.layers = layers_of_network(model, hasher.known());
    return facts;
}

bool are_layers_known(const models::ModelRecord& model, const HashCache& known) {
    return !model.weights_file.empty() && known.has(listing_layers(), {model.weights_file});
}

double weight_bytes_of(const models::ModelRecord& model) {
    if (model.builtin) return builtin_weight_bytes;
    return static_cast<double>(
        io::file_bytes(has_stored_features(model) ? model.features.path : model.weights_file));
}

}  // namespace ventral::pipeline

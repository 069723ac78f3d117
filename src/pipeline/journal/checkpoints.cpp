#include "pipeline/journal/checkpoints.hpp"

#include <utility>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "io/activations/activations_file.hpp"
#include "io/disk/entries_of.hpp"
#include "io/input_file.hpp"
#include "io/out_folder.hpp"
#include "pipeline/inputs/checkpoint_files.hpp"
#include "pipeline/inputs/keys.hpp"

namespace ventral::pipeline {
namespace {

/// Of one file; a damaged one has none.
std::set<std::string> layers_of(const std::string& path) {
    std::set<std::string> layers;
    try {
        const io::ActivationsFile file(path);
        for (const auto& layer : file.layers()) layers.insert(layer.name);
    } catch (const core::InputError&) {
    }
    return layers;
}

}  // namespace

void throw_removed(const std::string& path) {
    throw core::OutputError(path +
                            ": another run has removed it (with --activations discard, or a small "
                            "activations budget) it is made again by the next run");
}

std::string description(const LayerFiles& files) {
    std::string text;
    const auto add = [&](bool is_there, const char* name) {
        if (is_there) core::add_part(text, name, " and ");
    };
    add(files.gram, "Gram");
    add(files.projection, "projection");
    add(files.activations, "activations");
    return text.empty() ? "nothing" : text;
}

Checkpoints::Checkpoints(std::string out, std::string fingerprint)
    : out_(std::move(out)), fingerprint_(std::move(fingerprint)) {
    for (const auto& path : io::entries_of(io::activations_folder(out_)))
        if (auto prefix = prefix_in_name(path); !prefix.empty())
            files_[std::move(prefix)].push_back(path.string());
}

LayerFiles Checkpoints::of(const PlannedUnit& unit, const std::string& layer,
                           const core::TimeBins& bins) {
    LayerFiles files;
    files.activations = has_activations(unit.key, layer);
    const auto key_on = [&](const std::string& fingerprint) {
        return gram_key(unit.key, unit.projection, layer, fingerprint, bins);
    };
    files.gram = expected_grams_.contains(key_on(""));
    if (out_.empty()) return files;
    files.gram = files.gram || io::is_there(gram_path(out_, key_on(fingerprint_)));
    files.projection =
        !unit.projection.empty() &&
        io::is_there(projection_path(
            out_, projected_layer_key(unit.key, unit.projection, layer, fingerprint_)));
    return files;
}

void Checkpoints::expect_activations(const std::string& activations,
                                     const std::set<std::string>& layers) {
    expected_[activations].insert(layers.begin(), layers.end());
}

bool Checkpoints::has_activations(const std::string& activations, const std::string& layer) {
    const auto expected = expected_.find(activations);
    if (expected != expected_.end() && expected->second.contains(layer)) return true;
    const auto prefix = activations_prefix(activations, fingerprint_);
    const auto files = files_.find(prefix);
    if (files == files_.end()) return false;
    const auto [known, is_new] = layers_in_.try_emplace(prefix);
    if (is_new)
        for (const auto& path : files->second) known->second.merge(layers_of(path));
    return known->second.count(layer) > 0;
}

}  // namespace ventral::pipeline

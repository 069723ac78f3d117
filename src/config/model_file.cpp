#include "config/model_file.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/file_value.hpp"
#include "config/identifier.hpp"
#include "config/metric_limits.hpp"
#include "config/preprocessing_table.hpp"
#include "config/table.hpp"
#include "config/time_bin_value.hpp"

namespace ventral::config {
namespace {

constexpr std::int64_t largest_batch = 4096;

models::FeaturesFile read_features_file(const Value& value, const std::string& origin,
                                        const ConfigPlaces& places) {
    const auto file = read_file_value(value, Checksum::none, origin, places);
    return {file.path, file.variable};
}

/// One file, or a table of datasets with a file of each.
void read_features(ModelEntry& entry, const Value& features, const ConfigPlaces& places) {
    auto& record = entry.record;
    auto files = features.is_table() ? features.table().entries()
                                     : std::vector<std::pair<std::string, Value>>{};
    const bool is_file = std::any_of(files.begin(), files.end(), [](const auto& each) {
        return (each.first == "file" || each.first == "variable") && !each.second.is_table();
    });
    if (files.empty() || is_file) {
        record.features = read_features_file(features, record.origin, places);
        return;
    }
    for (const auto& [dataset, file] : files) {
        record.features_of[dataset] = read_features_file(file, record.origin, places);
        entry.dataset_places[dataset] = file.place();
    }
}

void read_source(ModelEntry& entry, Table& table, const ConfigPlaces& places) {
    auto& record = entry.record;
    const auto weights = table.find("weights");
    const auto features = table.find("features");
    const auto builtin = table.find("builtin");
    if (weights && features) features->fail("a model has 'weights' or 'features', not both");
    if (builtin && (weights || features))
        builtin->fail("a model has 'builtin' or a file of weights or features, not both");
    if (!weights && !features && !builtin)
        table.fail_missing({"weights", "features", "builtin"},
                           " (or 'features', for a stored assembly, or 'builtin')");
    if (builtin) {
        record.builtin = choice_of(*builtin, models::builtins());
        return;
    }
    if (features) return read_features(entry, *features, places);
    const auto file = read_file_value(*weights, Checksum::sha256, record.origin, places);
    record.weights_file = file.path;
    record.weights_sha256 = file.checksum;
}

/// What a network needs to be told and stored features do not.
void read_input(models::ModelRecord& record, Table& table) {
    const bool is_network = !has_stored_features(record);
    const auto value = [&](const std::string& key) -> std::optional<Value> {
        if (is_network) return table.need(key);
        return table.find(key);
    };
    if (const auto degrees = value("visual_degrees"))
        record.visual_degrees = degrees->positive_number();
    if (const auto preprocessing = value("preprocessing"))
        record.preprocessing = read_preprocessing(*preprocessing);
}

void read_execution(models::ModelRecord& record, Table& table) {
    if (const auto batch = table.find("batch_size"))
        record.batch_size = static_cast<std::size_t>(batch->integer(1, largest_batch));
    if (const auto device = table.find("device"))
        record.device = device->choice({"auto", "cpu", "cuda"});
    if (const auto variance = table.find("require_variance")) {
        record.require_variance = variance->flag();
        if (record.require_variance && has_stored_features(record))
            variance->fail(
                "stored features are the same in every trial (only networks can answer "
                "differently)");
    }
    if (const auto layout = table.find("memory_layout"))
        record.memory_layout = layout->choice({"channels_last", "contiguous"}) == "contiguous"
                                   ? models::MemoryLayout::contiguous
                                   : models::MemoryLayout::channels_last;
}

void read_layers(models::ModelRecord& record, Table& table) {
    if (const auto readout = table.find("readout_layer")) record.readout_layer = readout->text();
    if (const auto layers = table.find("layers")) record.candidate_layers = layers->texts();
    if (const auto regions = table.find("regions"))
        for (const auto& [region, layers] : regions->table().entries())
            record.regions[region] = layers.texts();
}

/// What the components are fitted on.
void read_fitted(ModelEntry& entry, Table& pca, const ConfigPlaces& places) {
    auto& record = *entry.record.pca;
    const bool is_network = !has_stored_features(entry.record);
    const auto stimuli = pca.find("stimuli");
    const auto features = pca.find("features");
    if (stimuli && !is_network)
        stimuli->fail(
            "stored features cannot be had of other images (there is no network) give 'features', "
            "a file with the same layers for the images that the components are fitted on");
    if (features && is_network)
        features->fail(
            "a network is shown the images that its components are fitted on, give "
            "'stimuli', a dataset");
    if (is_network) {
        const auto dataset = pca.need("stimuli");
        record.dataset = dataset.text();
        entry.pca_dataset_place = dataset.place();
        return;
    }
    record.features = read_features_file(pca.need("features"), entry.record.origin, places);
}

void read_pca(ModelEntry& entry, Table& table, const ConfigPlaces& places) {
    const auto value = table.find("pca");
    if (!value) return;
    auto pca = value->table();
    auto& record = entry.record.pca.emplace();
    if (const auto components = pca.find("n_components"))
        record.components = static_cast<std::size_t>(components->integer(1, most_pca_components));
    read_fitted(entry, pca, places);
    pca.finish();
}

void read_time(models::ModelRecord& record, Table& table) {
    constexpr std::int64_t most_axes = 16;
    const auto value = table.find("time");
    if (!value) return;
    if (has_stored_features(record))
        value->fail("stored features say themselves which time bins they have");
    auto time = value->table();
    auto& axis = record.time.emplace();
    if (const auto number = time.find("axis"))
        axis.axis = static_cast<std::size_t>(number->integer(1, most_axes));
    const auto bins = time.need("bins");
    axis.bins = read_time_bins(bins);
    time.finish();
}

}  // namespace

ModelEntry read_model_file(const std::string& path, const ConfigPlaces& places) {
    const auto contents = parse_toml(path);
    Table table(path, contents);
    ModelEntry entry;
    auto& record = entry.record;
    record.origin = path;
    const auto identifier = table.need("identifier");
    record.identifier = read_identifier(identifier);
    entry.place = identifier.place();
    read_source(entry, table, places);
    read_input(record, table);
    read_execution(record, table);
    read_layers(record, table);
    read_pca(entry, table, places);
    read_time(record, table);
    table.finish();
    return entry;
}

}  // namespace ventral::config

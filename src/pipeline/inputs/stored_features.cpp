#include "pipeline/inputs/stored_features.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/add_once.hpp"
#include "core/allocator.hpp"
#include "core/byte_count.hpp"
#include "core/errors.hpp"
#include "core/known_names.hpp"
#include "io/netcdf/netcdf_assembly.hpp"
#include "metrics/presentation_matrix.hpp"
#include "metrics/time_bins.hpp"
#include "models/time_bins.hpp"
#include "pipeline/inputs/configured_assembly.hpp"
#include "pipeline/inputs/feature_table.hpp"
#include "pipeline/inputs/joined_layers.hpp"
#include "stats/gram/gram.hpp"

namespace ventral::pipeline {

namespace {

/// Neighbouring columns of one layer.
struct LayerRun {
    std::string layer;
    std::size_t first;
    std::size_t end;
};

std::vector<LayerRun> layer_runs(const core::Assembly& features) {
    const auto count = core::dimension_size(features, "neuroid");
    const auto* labels = core::find_coordinate(features, "layer", "neuroid");
    if (!labels) return {{only_layer, 0, count}};
    std::vector<LayerRun> runs;
    for (std::size_t j = 0; j < count; ++j)
        if (j > 0 && core::equal(labels->values, j - 1, j))
            ++runs.back().end;
        else
            runs.push_back({core::text(labels->values, j), j, j + 1});
    return runs;
}

std::vector<LayerRun> runs_of_layer(const core::Assembly& features, const std::string& layer) {
    auto runs = layer_runs(features);
    std::erase_if(runs, [&](const LayerRun& run) { return run.layer != layer; });
    if (!runs.empty()) return runs;
    throw core::InputError(lacks_layer(layer, stored_layers(features)));
}

core::Assembly layer_of(const core::Assembly& features, const std::string& layer) {
    auto columns = stored_columns(features, layer);
    if (columns.size() == core::dimension_size(features, "neuroid")) return features;
    return core::take(features, "neuroid", columns);
}

/// Of what cannot be read by columns; `layers` are the groups of a file of activations, or none.
core::Assembly read_whole(const std::string& path, const std::string& variable,
                          const std::vector<std::string>& layers) {
    if (layers.empty()) return read_configured(path, variable);
    auto request = configured_request(variable);
    std::optional<LayerJoin> join;
    for (const auto& layer : layers) {
        request.layer = layer;
        auto values = io::read_assembly(path, request);
        if (join)
            join->add(layer, std::move(values));
        else
            join.emplace(path, layer, std::move(values));
    }
    return join->take();
}

/// Whole numbers as float64.
core::Assembly in_fractions(core::Assembly features, const std::string& path, bool& was_copied) {
    if (core::are_fractions(features.values)) return features;
    was_copied = true;
    if (std::holds_alternative<std::vector<std::string>>(features.values))
        throw core::InputError(path + ": the features are texts (numbers are needed)");
    features.values = core::as_float64(features.values);
    return features;
}

/// The end of the columns from `begin` on that are worth reading together.
std::size_t neighbours_end(std::span<const std::size_t> places, std::size_t begin) {
    constexpr std::size_t widest_gap = 64;
    std::size_t end = begin + 1;
    while (end < places.size() && places[end] - places[end - 1] <= widest_gap &&
           places[end] - places[begin] < stats::slab_features)
        ++end;
    return end;
}

}  // namespace

struct StoredFeatures::State {
    State(const std::string& path, const std::string& variable, std::size_t threads)
        : State(path, variable, threads, io::layer_groups(path)) {}

    State(const std::string& path, const std::string& variable, std::size_t threads,
          const std::vector<std::string>& layers)
        : table(FeatureTable::open(path, variable, layers)),
          was_copied(!layers.empty()),
          labels(table ? table->take_labels()
                       : in_fractions(read_whole(path, variable, layers), path, was_copied)) {
        labels.name = path;
        core::require_presentations_by_neuroids(labels);
        if (table) table->use_threads(threads);
        const bool begin_anywhere = table && share_chunks() && labels.dims[1].size > slab();
        if (table) cache_bytes = table->use_cache(slab() + (begin_anywhere ? 1 : 0));
        core::give_back_freed_memory();  // of strings, which netCDF makes one by one
    }

    /// Columns that are read at a time.
    std::size_t slab() const { return std::min(labels.dims[1].size, stats::slab_features); }

    bool has_layers() const { return stored_layers(labels).size() > 1; }

    /// Whether layers lie in the same chunks, so that their slabs begin anywhere.
    bool share_chunks() const { return has_layers() && !table->is_joined(); }

    /// Where the columns of a layer lie.
    const std::vector<std::size_t>& columns_of(const std::string& layer) const {
        const auto known = columns.find(layer);
        if (known != columns.end()) return known->second;
        return columns.emplace(layer, stored_columns(labels, layer)).first->second;
    }

    /// Neighbours are read together, also over a few columns of other layers.
    template <typename T>
    void read(const std::string& layer, std::size_t first, std::size_t count,
              std::span<T> out) const {
        const auto places = std::span(columns_of(layer)).subspan(first, count);
        if (count == 0) return;
        if (places.back() - places.front() + 1 == count)
            return table->read_columns(places.front(), count, out);
        std::vector<T> part;
        for (std::size_t begin = 0; begin < count;) {
            const std::size_t end = neighbours_end(places, begin);
            const std::size_t width = places[end - 1] - places[begin] + 1;
            part.resize(labels.dims[0].size * width);
            table->read_columns(places[begin], width, std::span(part));
            for (std::size_t i = 0; i < labels.dims[0].size; ++i)
                for (std::size_t j = begin; j < end; ++j)
                    out[i * count + j] = part[i * width + (places[j] - places[begin])];
            begin = end;
        }
    }

    std::optional<FeatureTable> table;  ///< if it can be read by columns
    bool was_copied;                    ///< of layers that were joined, or to another type
    core::Assembly labels;
    std::size_t cache_bytes = 0;  ///< of chunks that are kept
    mutable std::map<std::string, std::vector<std::size_t>> columns;
};

StoredFeatures::StoredFeatures(const std::string& path, const std::string& variable,
                               std::size_t threads)
    : state_(std::make_unique<State>(path, variable, threads)) {}

StoredFeatures::~StoredFeatures() = default;
StoredFeatures::StoredFeatures(StoredFeatures&&) noexcept = default;

const core::Assembly& StoredFeatures::labels() const { return state_->labels; }

bool StoredFeatures::is_whole() const { return !state_->table; }

void StoredFeatures::read_columns(const std::string& layer, std::size_t first, std::size_t count,
                                  std::span<float> out) const {
    state_->read(layer, first, count, out);
}

void StoredFeatures::read_columns(const std::string& layer, std::size_t first, std::size_t count,
                                  std::span<double> out) const {
    state_->read(layer, first, count, out);
}

std::size_t StoredFeatures::kept_bytes() const {
    const std::size_t places =
        is_whole() ? 0 : core::dimension_size(labels(), "neuroid") * sizeof(std::size_t);
    // What netCDF made the labels of stays in gaps about as large, as what was copied may.
    const std::size_t copies = is_whole() && !state_->was_copied ? 1 : 2;
    return copies * core::byte_count(labels()) + places;
}

std::size_t StoredFeatures::reading_bytes() const {
    if (is_whole()) return 0;
    const auto count = state_->slab();
    const auto value = core::value_bytes(labels().values);
    return state_->table->reading_bytes(count) + state_->cache_bytes +
           (state_->share_chunks() ? labels().dims[0].size * count * value : 0);
}

StoredFeatures open_stored(const models::ModelRecord& model, std::size_t threads) {
    return StoredFeatures(model.features.path, model.features.variable, threads);
}

std::string lacks_layer(const std::string& layer, const std::vector<std::string>& layers) {
    return "the stored features have no layer '" + layer + "'" + core::known_names(layer, layers);
}

std::vector<std::string> stored_layers(const core::Assembly& features) {
    std::vector<std::string> layers;
    for (const auto& run : layer_runs(features)) core::add_once(layers, run.layer);
    return layers;
}

bool change_in_time(const core::Assembly& features) {
    return core::has_dimension(features, "time_bin") &&
           core::dimension_size(features, "time_bin") > 1;
}

core::TimeBins own_time_bins(const core::Assembly& features) {
    return change_in_time(features) ? core::time_bins_of(features) : core::TimeBins{};
}

std::size_t rows_in_time(const core::Assembly& features) {
    return core::dimension_size(features, "presentation") *
           (change_in_time(features) ? core::dimension_size(features, "time_bin") : 1);
}

std::vector<std::size_t> stored_columns(const core::Assembly& features, const std::string& layer) {
    std::vector<std::size_t> columns;
    for (const auto& run : runs_of_layer(features, layer))
        for (std::size_t j = run.first; j < run.end; ++j) columns.push_back(j);
    return columns;
}

std::size_t stored_layer_size(const core::Assembly& features, const std::string& layer) {
    std::size_t size = 0;
    for (const auto& run : runs_of_layer(features, layer)) size += run.end - run.first;
    return size;
}

core::Assembly stored_layer(const core::Assembly& features, const std::string& layer) {
    return metrics::presentation_by_neuroid(layer_of(features, layer));
}

core::Assembly layer_labels(const core::Assembly& features, const std::string& layer) {
    core::Assembly labels;
    labels.name = features.name;
    const auto columns = stored_columns(features, layer);
    for (const auto& coordinate : features.coordinates)
        labels.coordinates.push_back(coordinate.dim == "neuroid"
                                         ? core::Coordinate{coordinate.name, coordinate.dim,
                                                            core::take(coordinate.values, columns)}
                                         : coordinate);
    return labels;
}

bool is_layer_itself(const core::Assembly& features, const std::string& layer) {
    return features.dims.size() == 2 && features.dims[0].name == "presentation" &&
           features.dims[1].name == "neuroid" &&
           stored_layer_size(features, layer) == features.dims[1].size;
}

core::Assembly stored_layer(const core::Assembly& features, const std::string& layer,
                            const core::TimeBins& bins) {
    if (bins.empty())
        return change_in_time(features)
                   ? metrics::time_bins_as_presentations(layer_of(features, layer))
                   : stored_layer(features, layer);
    auto part = layer_of(features, layer);
    part.name = "the model's features";  // as messages are to call them
    return metrics::time_bins_as_presentations(models::align_time_bins(part, bins));
}

}  // namespace ventral::pipeline

#include "pipeline/fit/feature_columns.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "io/activations/activations_file.hpp"
#include "io/input_file.hpp"
#include "io/out_folder.hpp"
#include "pipeline/extraction/averaged_activations.hpp"
#include "pipeline/inputs/stored_features.hpp"
#include "pipeline/journal/checkpoints.hpp"

namespace ventral::pipeline {
namespace {

/// Columns [first, first + count).
struct ColumnRange {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Where rows are wanted, one after the other.
struct RowsWanted {
    const std::vector<std::size_t>& rows;  ///< of the file
    double* to = nullptr;                  ///< the first of them
    std::size_t stride = 0;                ///< from one to the next
};

/// Of a row-major block, `width` wide.
template <typename T>
void copy_rows(std::span<const T> block, std::size_t width, ColumnRange columns,
               const RowsWanted& wanted) {
    for (std::size_t i = 0; i < wanted.rows.size(); ++i)
        std::copy_n(block.data() + wanted.rows[i] * width + columns.first, columns.count,
                    wanted.to + i * wanted.stride);
}

/// What `open` gives, of a file that the pipeline has made in OUT: if it is gone, another run has
/// removed it, and there is nothing wrong with the input.
template <typename Open>
auto or_removed(const std::string& path, const Open& open) {
    try {
        return open();
    } catch (const core::InputError&) {
        if (io::is_there(path)) throw;
        throw_removed(path);
    }
}

}  // namespace

/// HDF5 and netCDF take one thread at a time.
struct FeatureColumns::Files {
    std::mutex mutex;
    std::map<std::string, io::ActivationsFile> activations;
    FeaturesAtHand at_hand;
    std::vector<float> block;

    /// Features of a layer.
    void read(const LayerColumns& layer, ColumnRange columns, const RowsWanted& wanted) {
        const std::lock_guard lock(mutex);
        if (layer.stored) return read_stored(layer, columns, wanted);
        const auto open = [&] { return activations.try_emplace(layer.path, layer.path).first; };
        const auto& file = or_removed(layer.path, open)->second;
        const AveragedActivations averages(file, layer.trials, layer.time_bins);
        block.resize(averages.rows() * columns.count);
        averages.read_columns(layer.layer, columns.first, columns.count, block);
        copy_rows(std::span<const float>(block), columns.count, {0, columns.count}, wanted);
    }

private:
    using Name = std::tuple<std::string, std::string, core::TimeBins>;

    void read_stored(const LayerColumns& layer, ColumnRange columns, const RowsWanted& wanted) {
        const auto& features = stored_file(layer);
        const auto& values =
            features.is_whole() ? whole_values(features, layer) : features.labels().values;
        std::visit(
            [&](const auto& of_type) {
                using Value = std::decay_t<decltype(of_type[0])>;
                if constexpr (std::is_floating_point_v<Value>) {
                    if (features.is_whole())
                        return copy_rows(std::span(of_type), layer.features, columns, wanted);
                    std::vector<Value> read(features.labels().dims[0].size * columns.count);
                    features.read_columns(layer.layer, columns.first, columns.count,
                                          std::span(read));
                    copy_rows(std::span<const Value>(read), columns.count, {0, columns.count},
                              wanted);
                }
            },
            values);
    }

    /// What is not at hand on the first rank is a projection.
    const StoredFeatures& stored_file(const LayerColumns& layer) {
        if (at_hand.features && at_hand.path == layer.path) return *at_hand.features;
        const auto open = [&] {
            return stored.try_emplace(layer.path, layer.path, layer.variable).first;
        };
        const bool is_projection = at_hand.path != layer.path;
        return (is_projection ? or_removed(layer.path, open) : open())->second;
    }

    const core::Values& whole_values(const StoredFeatures& features, const LayerColumns& layer) {
        if (layer.time_bins.empty() && is_layer_itself(features.labels(), layer.layer))
            return features.labels().values;
        const Name name(layer.path, layer.layer, layer.time_bins);
        const auto known = copies.find(name);
        if (known != copies.end()) return known->second.values;
        auto part = stored_layer(features.labels(), layer.layer, layer.time_bins);
        return copies.emplace(name, std::move(part)).first->second.values;
    }

    std::map<std::string, StoredFeatures> stored;
    std::map<Name, core::Assembly> copies;
};

FeatureColumns::FeatureColumns(std::vector<LayerColumns> layers, FeaturesAtHand at_hand)
    : layers_(std::move(layers)), files_(std::make_shared<Files>()) {
    files_->at_hand = std::move(at_hand);
}

std::size_t FeatureColumns::features() const {
    std::size_t all = 0;
    for (const auto& layer : layers_) all += layer.features;
    return all;
}

stats::ReadSlab FeatureColumns::reader(std::vector<std::size_t> rows) const {
    struct Buffers {
        std::vector<double> values[2];
        std::size_t next = 0;
    };
    return [layers = layers_, files = files_, rows = std::move(rows),
            buffers = std::make_shared<Buffers>()](std::size_t first, std::size_t count) {
        auto& values = buffers->values[buffers->next];
        buffers->next = 1 - buffers->next;
        values.resize(rows.size() * count);
        std::size_t layer_begin = 0;
        for (const auto& layer : layers) {
            const std::size_t from = std::max(first, layer_begin);
            const std::size_t to = std::min(first + count, layer_begin + layer.features);
            if (from < to)
                files->read(layer, {from - layer_begin, to - from},
                            {rows, values.data() + (from - first), count});
            layer_begin += layer.features;
        }
        return stats::FeatureMatrix{std::span<const double>(values), rows.size(), count, count};
    };
}

}  // namespace ventral::pipeline

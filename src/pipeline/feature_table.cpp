#include "pipeline/feature_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/errors.hpp"
#include "pipeline/configured_assembly.hpp"
#include "pipeline/joined_layers.hpp"

namespace ventral::pipeline {
namespace {

bool are_fractions(const core::Values& values) {
    return std::holds_alternative<std::vector<float>>(values) ||
           std::holds_alternative<std::vector<double>>(values);
}

/// Nothing if the values have to be read as a whole.
std::optional<io::AssemblyFile> open_file(const std::string& path,
                                          const io::AssemblyRequest& request) {
    try {
        io::AssemblyFile file(path, request);
        if (are_fractions(file.labels().values)) return file;
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError&) {
    }
    return std::nullopt;
}

/// Of the labels of a layer but the first, what has to be the first one's.
void keep_stimuli(core::Assembly& labels) {
    std::erase_if(labels.coordinates, [](const auto& each) { return each.name != "stimulus_id"; });
}

}  // namespace

std::optional<FeatureTable> FeatureTable::open(const std::string& path,
                                               const std::string& variable) {
    auto request = configured_request(variable);
    const auto groups = io::layer_groups(path);
    FeatureTable table;
    if (groups.empty()) {
        request.neuroid_labels = {"layer", "neuroid_id"};
        auto file = open_file(path, request);
        if (!file) return std::nullopt;
        table.labels_ = file->take_labels();
        table.parts_.push_back({std::move(*file), 0, table.labels_.dims[1].size});
        return table;
    }
    std::vector<NamedLayer> layers;
    std::size_t first = 0;
    for (const auto& group : groups) {
        request.layer = group;
        auto file = open_file(path, request);
        if (!file) return std::nullopt;
        layers.push_back({group, file->take_labels()});
        if (layers.size() > 1) keep_stimuli(layers.back().features);
        const std::size_t count = layers.back().features.dims[1].size;
        table.parts_.push_back({std::move(*file), first, count});
        first += count;
    }
    table.labels_ = join_layers(path, layers);
    return table;
}

core::Assembly FeatureTable::take_labels() { return std::move(labels_); }

template <typename T>
void FeatureTable::read(std::size_t first, std::size_t count, std::span<T> out) const {
    const auto after = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& part) { return part.first > first; });
    const Part& part = *std::prev(after);
    assert(first - part.first + count <= part.count);
    part.file.read_columns(first - part.first, count, out);
}

void FeatureTable::read_columns(std::size_t first, std::size_t count, std::span<float> out) const {
    read(first, count, out);
}

void FeatureTable::read_columns(std::size_t first, std::size_t count, std::span<double> out) const {
    read(first, count, out);
}

std::size_t FeatureTable::reading_bytes(std::size_t count) const {
    std::size_t most = 0;
    for (const auto& part : parts_)
        most = std::max(most, part.file.reading_bytes(std::min(count, part.count)));
    return most;
}

std::size_t FeatureTable::use_cache(std::size_t count) {
    std::size_t all = 0;
    for (auto& part : parts_) {
        if (!part.file.is_chunked()) continue;
        const bool is_narrow = is_joined() && part.count <= count;
        const std::size_t bytes = is_narrow ? 0 : part.file.useful_cache(count);
        part.file.use_cache(bytes);
        all += bytes;
    }
    return all;
}

}  // namespace ventral::pipeline

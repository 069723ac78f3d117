#include "pipeline/inputs/feature_table.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "core/errors.hpp"
#include "core/workers.hpp"
#include "io/hdf5/deflated_chunks.hpp"
#include "pipeline/inputs/configured_assembly.hpp"
#include "pipeline/inputs/joined_layers.hpp"

namespace ventral::pipeline {
namespace {

/// Nothing if the values have to be read as a whole.
std::optional<io::AssemblyFile> open_file(const std::string& path,
                                          const io::AssemblyRequest& request) {
    try {
        io::AssemblyFile file(path, request);
        if (core::are_fractions(file.labels().values)) return file;
    } catch (const core::TransientError&) {
        throw;
    } catch (const core::InputError&) {
    }
    return std::nullopt;
}

}  // namespace

std::optional<FeatureTable> FeatureTable::open(const std::string& path, const std::string& variable,
                                               const std::vector<std::string>& layers) {
    auto request = configured_request(variable);
    if (layers.empty())
        request.neuroid_labels = {"layer", "neuroid_id"};
    else
        request.layer = layers.front();
    auto first = open_file(path, request);
    if (!first) return std::nullopt;
    FeatureTable table;
    if (layers.empty()) {
        table.labels_ = first->take_labels();
        table.add(std::move(*first));
        return table;
    }
    LayerJoin join(path, layers.front(), first->take_labels());
    table.add(std::move(*first));
    for (std::size_t i = 1; i < layers.size(); ++i) {
        request.layer = layers[i];
        io::AssemblyFile file(path, request);
        join.add(layers[i], file.take_labels());
        table.add(std::move(file));
    }
    table.labels_ = join.take();
    return table;
}

void FeatureTable::add(io::AssemblyFile file) {
    const std::size_t first = parts_.empty() ? 0 : parts_.back().first + parts_.back().count;
    const std::size_t count = file.labels().dims[1].size;
    parts_.push_back({std::move(file), first, count});
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

void FeatureTable::use_threads(std::size_t threads) {
    std::shared_ptr<core::Workers> workers;  // of all parts, which are read one after the other
    for (auto& part : parts_) {
        if (!part.file.is_deflated()) continue;
        if (!workers) workers = io::make_inflaters(threads);
        part.file.use_workers(workers);
    }
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

#include "feature_file.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "io/activations/activations_file.hpp"
#include "io/hdf5/deflated_chunks.hpp"
#include "io/netcdf/assembly_file.hpp"
#include "pipeline/inputs/shown_degrees.hpp"

namespace ventral::jobs {
namespace {

/// Bytes that may take seconds to read.
constexpr std::uintmax_t worth_telling = std::uintmax_t{1} << 30;

template <typename T>
metrics::ReadInto<T> read_from(const std::shared_ptr<io::AssemblyFile>& file) {
    return [file](std::size_t first, std::size_t count, std::span<T> out) {
        file->read_columns(first, count, out);
    };
}

/// Other files than those of `extract` have no checksums.
void verify_layer(const std::string& path, const io::AssemblyRequest& request) {
    if (!request.layer || !pipeline::is_extracted(path)) return;
    if (std::filesystem::file_size(path) >= worth_telling)
        core::log_info("verifying the checksum of layer '" + *request.layer + "' of " + path);
    io::ActivationsFile(path).verify(*request.layer);
}

/// Units that `extract` has recorded are numbered. Metrics want names, which the reference makes of
/// model, layer and number.
void name_units(core::Assembly& assembly, const std::string& layer) {
    if (core::find_coordinate(assembly, "neuroid_id")) return;
    const auto* numbers = core::find_coordinate(assembly, "neuroid_num");
    if (!numbers) return;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < core::value_count(numbers->values); ++i)
        names.push_back(layer + "." + core::text(numbers->values, i));
    assembly.coordinates.push_back({"neuroid_id", numbers->dim, std::move(names)});
}

}  // namespace

metrics::Features open_features(const std::string& path, const io::AssemblyRequest& request,
                                std::size_t threads) {
    const auto file = std::make_shared<io::AssemblyFile>(path, request);
    verify_layer(path, request);
    if (file->is_deflated()) file->use_workers(io::make_inflaters(threads));
    metrics::Features features;
    features.place = path;
    features.labels = file->labels();
    if (std::holds_alternative<std::vector<float>>(features.labels.values))
        features.read = read_from<float>(file);
    else if (!std::holds_alternative<std::vector<std::string>>(features.labels.values))
        features.read = read_from<double>(file);
    else
        core::naming(path, [&] { metrics::fail_type(features.labels.values); });
    features.reading_bytes = [file](std::size_t count) { return file->reading_bytes(count); };
    features.useful_cache = [file](std::size_t count) { return file->useful_cache(count); };
    features.use_cache = [file](std::size_t bytes) { file->use_cache(bytes); };
    return features;
}

metrics::AssemblyOfFile read_recordings(const std::string& path,
                                        const io::AssemblyRequest& request) {
    metrics::AssemblyOfFile recordings{path, io::read_assembly(path, request)};
    verify_layer(path, request);
    if (request.layer) name_units(recordings.assembly, *request.layer);
    return recordings;
}

}  // namespace ventral::jobs

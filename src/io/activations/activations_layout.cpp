#include "io/activations/activations_layout.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "io/disk/descriptor.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_output.hpp"
#include "io/hdf5/hdf5_types.hpp"
#include "io/netcdf/netcdf_layout.hpp"

namespace ventral::io {
namespace {

/// The netCDF dimensions of a layer's group.
struct Dimensions {
    Hdf5Handle presentation;
    std::optional<Hdf5Handle> time_bin;
    Hdf5Handle neuroid;
};

/// A column's name as a coordinate: xarray lists coordinates by blanks, netCDF groups by slashes,
/// and names of neuroid coordinates are taken.
std::string coordinate_name(const std::string& column, const std::set<std::string>& taken) {
    auto name = column;
    for (auto& character : name) {
        if (character == '/' || std::isspace(static_cast<unsigned char>(character)))
            character = '_';
    }
    while (taken.count(name) || name == "." || name.empty()) name.insert(0, "stimulus_");
    return name;
}

/// 0, 1, … `size` - 1, each `repeats` times, and all of that again until there are `count`.
std::vector<std::int64_t> repeated_range(std::size_t count, std::int64_t size,
                                         std::int64_t repeats) {
    std::vector<std::int64_t> values;
    values.reserve(count);
    while (values.size() < count)
        for (std::int64_t value = 0; value < size; ++value)
            values.insert(values.end(), static_cast<std::size_t>(repeats), value);
    return values;
}

std::vector<core::Column> time_columns(const core::TimeBins& bins) {
    std::vector<double> starts;
    std::vector<double> ends;
    for (const auto& [start, end] : bins) {
        starts.push_back(start);
        ends.push_back(end);
    }
    return {{time_bin_start_name, starts}, {time_bin_end_name, ends}};
}

std::vector<core::Column> stimulus_columns(const core::StimulusSet& stimuli, bool in_time) {
    std::set<std::string> taken{activations_name, "presentation", "neuroid", "stimulus_id",
                                "neuroid_num",    "channel",      "y",       "x"};
    if (in_time) taken.insert({"time_bin", time_bin_start_name, time_bin_end_name});
    std::vector<core::Column> columns{{"stimulus_id", stimuli.stimulus_ids}};
    const bool has_degrees = !stimuli.visual_degrees.empty();
    if (has_degrees) {
        columns.push_back({degrees_name, stimuli.visual_degrees});
        taken.insert(degrees_name);
    }
    for (const auto& column : stimuli.columns) {
        if (has_degrees && column.name == degrees_name) continue;  // the same
        const auto name = coordinate_name(column.name, taken);
        taken.insert(name);
        columns.push_back({name, column.values});
    }
    return columns;
}

/// Adds its name to those of the coordinates.
void write_coordinate(const Hdf5Object& group, const core::Column& column,
                      const Hdf5Handle& dimension, std::string& names) {
    const auto dataset = write_array(group, column.name, column.values, Storage::compressed);
    attach_dimension(group.path, dataset, dimension, 0);
    if (can_be_stated(column.name)) core::add_part(names, column.name, " ");
}

void write_coordinates(const Hdf5Object& group, const std::vector<core::Column>& columns,
                       const Hdf5Handle& dimension, std::string& names) {
    for (const auto& column : columns) write_coordinate(group, column, dimension, names);
}

/// One after the other: each has a whole number for every feature.
void write_neuroid_coordinates(const Hdf5Object& group, const LayerShape& layer,
                               const Hdf5Handle& dimension, std::string& names) {
    const auto count = feature_count(layer);
    const auto& shape = layer.shape;
    const auto write = [&](const char* name, std::int64_t size, std::int64_t repeats) {
        write_coordinate(group, {name, repeated_range(count, size, repeats)}, dimension, names);
    };
    write("neuroid_num", static_cast<std::int64_t>(count), 1);
    if (shape.size() == 1) write("channel", shape[0], 1);
    if (shape.size() != 3) return;
    write("channel", shape[0], shape[1] * shape[2]);
    write("y", shape[1], shape[2]);
    write("x", shape[2], 1);
}

/// The space of compressed chunks is not known before they are written.
void choose_storage(const Hdf5Object& group, const Hdf5Handle& list, int compression) {
    check_hdf5(H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER), group.path, "set the filling");
    if (compression == 0) {
        check_hdf5(H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_EARLY), group.path,
                   "set the allocation");
        return;
    }
    check_hdf5(H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_INCR), group.path, "set the allocation");
    check_hdf5(H5Pset_shuffle(list.id()), group.path, "set a filter");
    check_hdf5(H5Pset_deflate(list.id(), static_cast<unsigned>(compression)), group.path,
               "set a filter");
}

Hdf5Handle create_activations(const Hdf5Object& group, std::size_t features,
                              const ActivationsHeader& header) {
    const auto rows = header.stimuli.stimulus_ids.size();
    std::vector<std::size_t> shape{rows, features};
    std::vector<hsize_t> chunk{chunk_rows_of(header.batch_size, rows),
                               std::min(features, chunk_features)};
    if (!header.time_bins.empty()) {
        shape.insert(shape.begin() + 1, header.time_bins.size());
        chunk.insert(chunk.begin() + 1, 1);
    }
    const auto space = make_shape(group.path, shape);
    const Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, group.path,
                          "make a property list");
    check_hdf5(H5Pset_chunk(list.id(), static_cast<int>(chunk.size()), chunk.data()), group.path,
               "set the chunks");
    choose_storage(group, list, header.compression);
    return {H5Dcreate2(group.id, activations_name, H5T_IEEE_F32LE, space.id(), H5P_DEFAULT,
                       list.id(), H5P_DEFAULT),
            H5Dclose, group.path, "create the activations"};
}

void create_layer(const Hdf5Object& file, const LayerShape& layer,
                  const ActivationsHeader& header) {
    const auto rows = header.stimuli.stimulus_ids.size();
    const auto features = feature_count(layer);
    const auto handle = create_group(file, layer.name);
    const Hdf5Object group{handle.id(), file.path};
    write_attribute(group, "shape", layer.shape);
    write_attribute(group, checksum_name, std::int64_t{0});
    const bool in_time = !header.time_bins.empty();
    Dimensions dims{create_dimension(group, "presentation", rows), std::nullopt,
                    create_dimension(group, "neuroid", features)};
    if (in_time) dims.time_bin = create_dimension(group, "time_bin", header.time_bins.size());
    std::string coordinates;
    write_coordinates(group, stimulus_columns(header.stimuli, in_time), dims.presentation,
                      coordinates);
    if (in_time)
        write_coordinates(group, time_columns(header.time_bins), *dims.time_bin, coordinates);
    write_neuroid_coordinates(group, layer, dims.neuroid, coordinates);
    const auto activations = create_activations(group, features, header);
    attach_dimension(file.path, activations, dims.presentation, 0);
    if (in_time) attach_dimension(file.path, activations, *dims.time_bin, 1);
    attach_dimension(file.path, activations, dims.neuroid, in_time ? 2 : 1);
    write_attribute({activations.id(), file.path}, "coordinates", coordinates);
}

void check_header(const std::string& path, const ActivationsHeader& header) {
    if (header.stimuli.stimulus_ids.empty())
        throw core::InputError(path + ": there are no stimuli");
    if (!header.stimuli.visual_degrees.empty() &&
        header.stimuli.visual_degrees.size() != header.stimuli.stimulus_ids.size())
        throw core::InputError(path + ": the stimuli have another number of widths");
    for (const auto& column : header.stimuli.columns) {
        if (core::value_count(column.values) == header.stimuli.stimulus_ids.size()) continue;
        throw core::InputError(path + ": the stimulus column '" + column.name +
                               "' has another length than the stimulus set");
    }
    std::set<std::string> names;
    for (const auto& layer : header.layers) {
        const auto& name = layer.name;
        if (name.empty() || name == "." || name.find('/') != name.npos) {
            throw core::InputError(path + ": a layer cannot be named '" + name +
                                   "' (it becomes the name of an HDF5 group)");
        }
        if (!names.insert(name).second) {
            throw core::InputError(path + ": two layers are named '" + name + "'");
        }
    }
}

/// Takes the blocks that the file system has only promised, where it can.
void take_space(const std::string& path) {
    const auto size = std::filesystem::file_size(path);
    const Descriptor file(path, O_RDWR);
    bool taken = false;
    while (file && !taken) {
        taken = fallocate(file.id(), 0, 0, static_cast<off_t>(size)) == 0;
        if (!taken && errno != EINTR) break;  // a signal, where the file system is memory
    }
    const int error = errno;
    if (taken || error == EOPNOTSUPP || error == ENOSYS) return;
    throw core::OutputError(path + ": cannot take " + core::bytes_text(static_cast<double>(size)) +
                            " for activations (" + std::strerror(error) + ")");
}

}  // namespace

void create_activations_file(const std::string& path, const ActivationsHeader& header) {
    check_header(path, header);
    auto output = Hdf5Output::create(path);
    const Hdf5Object file{output.id(), path};
    write_attribute(file, "format_version", activations_format);
    write_attribute(file, "finished", std::int64_t{0});
    write_attribute(file, "key", header.key);
    write_attribute(file, "stimulus_set_identifier", header.stimuli.identifier);
    for (const auto& [field, text] : header.provenance) {
        write_attribute(file, "provenance." + field, text);
    }
    for (const auto& layer : header.layers) create_layer(file, layer, header);
    output.close();
    take_space(path);
}

std::int64_t checksum_of_rows(std::size_t first, const std::vector<std::uint32_t>& crcs) {
    std::uint64_t checksum = 0;
    for (std::size_t row = 0; row < crcs.size(); ++row)
        checksum += (std::uint64_t{crcs[row]} + 1) * (2 * (first + row) + 1);
    return static_cast<std::int64_t>(checksum % checksum_modulus);
}

Hdf5Handle open_layer_group(const Hdf5Object& file, const std::string& layer) {
    return {H5Gopen2(file.id, layer.c_str(), H5P_DEFAULT), H5Gclose, file.path,
            "open the layer '" + layer + "'"};
}

void mark_finished(const std::string& path, const std::vector<LayerShape>& layers,
                   const std::vector<std::int64_t>& checksums) {
    auto output = Hdf5Output::reopen(path);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const auto group = open_layer_group({output.id(), path}, layers[l].name);
        overwrite_attribute({group.id(), path}, checksum_name, checksums[l]);
    }
    overwrite_attribute({output.id(), path}, "finished", 1);
    output.close();
}

}  // namespace ventral::io

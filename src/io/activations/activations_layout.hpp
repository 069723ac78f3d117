#pragma once
/// @file
/// Makes a file of activations with everything in it but the activations. For `ActivationsWriter`.

#include <cstdint>
#include <string>
#include <vector>

#include "io/activations/activations_writer.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

constexpr std::int64_t activations_format = 2;
constexpr auto activations_name = "activations";
constexpr auto checksum_name = "checksum";
constexpr auto degrees_name = "visual_degrees";
constexpr auto time_bin_start_name = "time_bin_start";
constexpr auto time_bin_end_name = "time_bin_end";

/// What the rows `first` … add to the checksum of their layer, from their CRCs: the sum over rows
/// of the CRC, weighted by where they stand, modulo `checksum_modulus`. It is the same whoever adds
/// up which rows, and the ranks' sums can be added in 64 bits.
std::int64_t checksum_of_rows(std::size_t first, const std::vector<std::uint32_t>& crcs);
constexpr std::int64_t checksum_modulus = std::int64_t{1} << 48;

/// Creates the file at `path` with one rank: attributes, groups, coordinates (strings cannot be
/// written in parallel) and datasets without values, but with all of their space taken on the disk.
/// It is marked as unfinished. Throws `InputError` for a layer name that is empty, has a '/'
/// or stands twice, `OutputError` for a full disk.
void create_activations_file(const std::string& path, const ActivationsHeader& header);

/// The group of a layer. Throws `InputError` if it cannot be opened.
Hdf5Handle open_layer_group(const Hdf5Object& file, const std::string& layer);

/// Marks a file whose rows are all written as finished, with the checksum of each of its layers.
void mark_finished(const std::string& path, const std::vector<LayerShape>& layers,
                   const std::vector<std::int64_t>& checksums);

}  // namespace ventral::io

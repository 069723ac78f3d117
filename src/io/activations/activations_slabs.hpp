#pragma once
/// @file
/// Slabs of activations from a file whose chunks stand one after the other. For `ActivationsFile`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/disk/direct_reads.hpp"
#include "io/hdf5/hdf5_attribute.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

/// Where the chunks of a dataset presentation × neuroid are: row by row of chunks, from `address`
/// on. All are `chunk_rows` × `chunk_features`, also at the edges.
struct ChunkPlaces {
    std::uint64_t address;
    std::size_t rows;
    std::size_t features;
    std::size_t chunk_rows;
};

/// Nothing of chunks that are compressed, anywhere else, narrower, or not where direct reads can
/// start. Throws `InputError`.
std::optional<ChunkPlaces> chunk_places(const Hdf5Object& file, const Hdf5Handle& dataset);

/// Memory that `SlabReads` takes, beside an `out` that begins with a page, for features in chunks
/// of `chunk_rows`: some chunks of the last slab, if it does not fill them.
std::size_t slab_reading_bytes(std::size_t features, std::size_t chunk_rows);

/// Reads slabs past the page cache.
class SlabReads {
public:
    /// Of the very file that HDF5 has open, whatever has its name by now.
    explicit SlabReads(const Hdf5Object& file);

    /// Features `first` …, a multiple of `chunk_features`, to `first + count`, another one or the
    /// end, as slabs of `chunk_features`, each rows × features, row by row. False if it cannot be
    /// read so. Throws `std::system_error`.
    bool read(const ChunkPlaces& chunks, std::size_t first, std::size_t count,
              std::span<float> out);

private:
    DirectReads reads_;
    std::vector<float> aside_;  ///< for chunks that are not in memory as in the file
};

}  // namespace ventral::io

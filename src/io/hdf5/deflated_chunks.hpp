#pragma once
/// @file
/// Compressed chunks of HDF5 datasets, inflated by several threads: HDF5 itself, and netCDF with
/// it, inflates with one, whatever waits for the values.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/workers.hpp"
#include "io/block.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace ventral::io {

/// So many, but no more than eight: each takes memory, and one thread reads for all.
std::shared_ptr<core::Workers> make_inflaters(std::size_t threads);

/// A dataset whose chunks are deflated, and shuffled before or not. Used by one thread at a time.
class DeflatedChunks {
public:
    /// Nothing if the dataset `name` of an open file is of another type than float32 or float64 in
    /// this machine's order of bytes, of another shape, or stored in another way: HDF5 has to read
    /// it. `path` is for messages. Throws `InputError` if it is damaged.
    static std::optional<DeflatedChunks> open(const Hdf5Handle& file, const std::string& path,
                                              const std::string& name,
                                              const std::vector<std::size_t>& shape);

    std::size_t value_bytes() const { return value_bytes_; }

    /// The values of the block, row-major, to `out`. False, and nothing is to be made of `out`, if
    /// some chunk is not stored as the others are (never written, or without its filters), from
    /// then on for every block. Throws `InputError` if one is damaged.
    bool read(const Block& block, std::span<std::byte> out);

    /// Who inflates, in place of the caller; as many at a time as take no more than `most_bytes`
    /// with their chunks, or one. Nobody else may use these workers meanwhile.
    void use_workers(std::shared_ptr<core::Workers> workers,
                     std::size_t most_bytes = std::size_t{256} << 20);

    /// Keeps so many bytes of inflated chunks that a block has read only in part, along the dim
    /// `axis`, for the next one. Chunks that a block has no part of are given up.
    void use_cache(std::size_t bytes, std::size_t axis);

    /// What `read` takes beside `out` and what is kept, with the workers' threads.
    std::size_t reading_bytes() const;

private:
    using Bytes = std::vector<std::byte>;
    using Offset = std::vector<std::size_t>;
    /// One that is in work, with room that the next one is read into.
    struct Work {
        Offset offset;
        Bytes packed;
        std::size_t packed_size = 0;  ///< 0: it is inflated already
        Bytes shuffled;
        Bytes values;
    };

    DeflatedChunks() = default;
    /// Of all chunks that have a part of the block.
    std::vector<Offset> offsets_in(const Block& block) const;
    /// From what is kept, or packed from the file; false as `read`.
    bool fetch(Offset offset, Work& work);
    void inflate(Work& work) const;
    void copy(const Work& work, const Block& block, std::span<std::byte> out) const;
    /// Gives up what the block has no part of.
    void forget_beside(const Block& block);
    /// Keeps what reaches beyond the block, if there is room.
    void keep(Work& work, const Block& block);
    std::size_t chunk_bytes() const;

    std::string path_;
    std::string name_;
    Hdf5Handle dataset_;
    std::vector<std::size_t> shape_;
    std::vector<std::size_t> chunk_;
    std::size_t value_bytes_ = 0;
    bool shuffled_ = false;
    std::shared_ptr<core::Workers> workers_;
    std::size_t together_ = 1;  ///< chunks in work at a time
    bool is_given_up_ = false;  ///< HDF5 has to read it after all
    std::size_t cache_axis_ = 0;
    std::size_t cache_bytes_ = 0;
    std::map<Offset, Bytes> kept_;  ///< values
};

}  // namespace ventral::io

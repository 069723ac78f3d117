#pragma once
/// @file
/// A file of activations (`activations_shape.hpp`), read. One thread of a rank at a time may call
/// any of this.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time_bin.hpp"
#include "io/activations/activations_shape.hpp"
#include "io/activations/activations_slabs.hpp"
#include "io/block.hpp"
#include "io/disk/write_behind.hpp"
#include "io/hdf5/deflated_chunks.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/steady_size.hpp"

namespace ventral::io {

/// Whether values will be read again: if not, slabs are read past the page cache where that can be
/// done, and else, where new pages cost much, the file gives up those it has read.
enum class ReadAgain { yes, no };

/// Whether an HDF5 file says, as `ventral extract` has it, which format it is of and whether it was
/// finished. Throws `InputError` if it is damaged or none of HDF5.
bool is_activations_file(const std::string& path);

/// A finished file, opened for reading by one rank on its own.
class ActivationsFile {
public:
    /// Throws `InputError` if the file is missing, damaged, unfinished or of another format
    /// version, or if its layers differ in their time bins.
    explicit ActivationsFile(std::string path, ReadAgain again = ReadAgain::yes);

    std::string key() const;
    std::size_t rows() const { return row_count_; }
    const std::vector<LayerShape>& layers() const { return layers_; }
    /// The layer of that name; null if there is none.
    const LayerShape* find(const std::string& layer) const;
    /// None if there is no such dimension.
    const core::TimeBins& time_bins() const { return time_bins_; }
    std::vector<std::string> stimulus_ids() const;
    /// How wide each row's image was shown, in degrees; none if the file does not say it.
    std::vector<double> visual_degrees() const;
    /// Has so many threads, or four, inflate compressed layers.
    void use_threads(std::size_t threads);
    /// Reads all activations of a layer once; `on_block` is called after each 64 MiB or so, as a
    /// sign of life. Throws `InputError` if any are not what was written.
    void verify(const std::string& layer, const std::function<void()>& on_block = {}) const;

    /// Features `first` … `first + count - 1` of all rows; `out` is rows × count, row by row, or
    /// rows × time bins × count; likewise below.
    /// Throws `InputError` for an unknown layer (with near names) and for a damaged file,
    /// `core::TransientError` for one that was cut short since it was opened.
    void read_columns(const std::string& layer, std::size_t first, std::size_t count,
                      std::span<float> out) const;
    /// The same as slabs of `chunk_features` columns, one after the other. `first` is a multiple of
    /// that. Quickest for several slabs at once, and for an `out` that begins with a page.
    void read_slabs(const std::string& layer, std::size_t first, std::size_t count,
                    std::span<float> out) const;

    struct Part {
        std::size_t first_row;
        std::size_t rows;
        std::size_t first_feature;
        std::size_t features;
        std::optional<std::size_t> time_bin = {};  ///< this one alone; else all there are
    };
    /// `out` is rows × features, or rows × time bins × features. The same. Quickest for whole
    /// chunks, which are of one time bin.
    void read_block(const std::string& layer, const Part& part, std::span<float> out) const {
        read_block(position(layer), part, out);
    }
    /// Of the layer.
    std::size_t chunk_rows(const std::string& layer) const;

private:
    struct Dataset {
        Hdf5Handle handle;
        bool is_compressed;
        std::optional<DeflatedChunks> deflated;  ///< of a compressed one that HDF5 need not read
        std::optional<ChunkPlaces> chunks;       ///< to be read past the page cache
    };

    void open_layer(const std::string& name);
    std::size_t position(const std::string& layer) const;
    void read_block(std::size_t layer, const Part& part, std::span<float> out) const;
    bool read_deflated(std::size_t layer, const Block& block, std::span<float> out) const;
    bool read_past_cache(std::size_t layer, std::size_t first, std::size_t count,
                         std::span<float> out) const;
    void have_read(std::size_t layer, std::size_t bytes, double seconds) const;

    std::string path_;
    ReadAgain again_;
    SteadySize size_;
    Hdf5Handle file_;
    std::size_t row_count_ = 0;
    core::TimeBins time_bins_;
    std::vector<LayerShape> layers_;
    mutable std::vector<Dataset> datasets_;  ///< of each layer
    mutable std::optional<SlabReads> slabs_;
    mutable CopyCost cost_;  ///< of what is not compressed
};

}  // namespace ventral::io

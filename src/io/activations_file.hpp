#pragma once
/// @file
/// The activations of one model on one stimulus set: one HDF5 file that netCDF-4 and xarray open, a
/// group per layer with `activations[presentation, neuroid]` in float32, rows in the order of the
/// stimulus set; of networks that answer in time `activations[presentation, time_bin, neuroid]`. In
/// each group `visual_degrees`, the other columns of the stimulus set and `neuroid_num`, `channel`,
/// `y`, `x` are coordinates, `time_bin_start` and `time_bin_end` of the bins. One thread of a rank
/// at a time may call any of this, and only the main thread what is collective.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "core/stimulus_set.hpp"
#include "io/activations_slabs.hpp"
#include "io/block.hpp"
#include "io/deflated_chunks.hpp"
#include "io/durable_file.hpp"
#include "io/hdf5_handle.hpp"
#include "io/hdf5_output.hpp"
#include "io/packed_rows.hpp"
#include "io/steady_size.hpp"
#include "io/write_behind.hpp"

namespace ventral::io {

constexpr std::size_t chunk_features = 4096;  ///< of a file's chunks, where there are as many

struct LayerShape {
    std::string name;                 ///< as the model calls it, dots and all; '/' is refused
    std::vector<std::int64_t> shape;  ///< of one stimulus, in one time bin: {C, H, W}, {p}, …
};

/// Number of neuroids of a layer: the product of its shape. Throws `InputError` if it is not
/// positive.
std::size_t feature_count(const LayerShape& layer);

/// Start and end in ms.
using TimeBins = std::vector<std::pair<double, double>>;

struct ActivationsHeader {
    std::string key;
    std::map<std::string, std::string> provenance;
    std::vector<LayerShape> layers;
    std::size_t batch_size = 1;  ///< a chunk holds the rows of one batch
    core::StimulusSet stimuli;   ///< one entry per row of the file
    int compression = 0;         ///< level of shuffle and deflate, 1 to 9; 0: none
    TimeBins time_bins = {};     ///< of all layers; none: there is no such dimension
};

/// Writes a file together with the other ranks of a group. Making, finishing and destroying are
/// collective; what fails on one rank is thrown on all. All of the file's space is taken when it is
/// made, so that a full disk is known before the network has run. The space of compressed rows is
/// not known then: rank 0 alone writes them, the others send it theirs.
class ActivationsWriter {
public:
    /// `comm` must outlive this. Throws `InputError` (in a group of several ranks
    /// `comm::CollectiveError`) with the path if the file cannot be made.
    ActivationsWriter(std::string path, comm::Communicator& comm, const ActivationsHeader& header);
    /// Removes the file if it was never finished.
    ~ActivationsWriter();
    ActivationsWriter(const ActivationsWriter&) = delete;
    ActivationsWriter& operator=(const ActivationsWriter&) = delete;

    /// Each rank gives its own rows `first_row` … of a layer whenever it has them, of each row one
    /// time bin after the other. Whole batches
    /// (chunks) are fast, anything else is right too, but compressed rows have to be whole batches.
    /// Not collective: what fails is thrown on this rank alone.
    void write_rows(std::size_t layer, std::size_t first_row, std::span<const float> rows);
    /// The same of rows that are compressed already, for a file with compression.
    void write_packed(std::size_t layer, std::size_t first_row, const PackedRows& rows);

    /// Collective: syncs, closes, lets the ranks agree, reopens and verifies, then gives the file
    /// its name. Throws `std::logic_error` if rows are missing.
    void finish();

private:
    struct Rows;
    struct SentRows;
    void open_on_this_rank();
    /// Values of a row: the features of every time bin.
    std::size_t row_width(std::size_t layer) const {
        return feature_count(layers_[layer]) * time_bins_;
    }
    bool writes_here() const { return is_parallel_ || comm_.rank() == 0; }
    void check_rows(std::size_t layer, const Rows& rows) const;
    void add_checksum(std::size_t layer, std::size_t first_row,
                      const std::vector<std::uint32_t>& crcs);
    void write_here(std::size_t layer, const Rows& rows);
    void write_piece(std::size_t layer, const Rows& rows, std::size_t time_bin,
                     std::size_t feature);
    void write_packed_here(std::size_t layer, std::size_t first_row, const PackedRows& rows);
    void send(const SentRows& rows);
    bool receive(bool and_write);
    void receive_all(bool and_write);
    void check_complete();

    comm::Communicator& comm_;
    std::string path_;
    std::size_t row_count_;
    std::size_t chunk_rows_;
    std::size_t time_bins_;  ///< 1 without that dimension
    bool in_time_;
    int compression_;
    std::vector<LayerShape> layers_;
    std::vector<std::int64_t> written_;    ///< rows of each layer that this rank has given
    std::vector<std::int64_t> checksums_;  ///< of these rows
    std::int64_t sent_ = 0;                ///< messages to rank 0
    std::int64_t received_ = 0;
    std::optional<TemporaryName> name_;  ///< on rank 0
    std::string temporary_;
    bool is_parallel_;                  ///< ranks are processes: each writes its rows itself
    std::optional<Hdf5Output> output_;  ///< on the ranks that write
    std::vector<Hdf5Handle> datasets_;
};

/// Whether values will be read again: if not, slabs are read past the page cache where that can be
/// done, and else, where new pages cost much, the file gives up those it has read.
enum class ReadAgain { yes, no };

/// Whether an HDF5 file says that it is one of activations, whole or not. Throws `InputError` if it
/// is damaged or none of HDF5.
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
    /// None if there is no such dimension.
    const TimeBins& time_bins() const { return time_bins_; }
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
    /// All features of rows `first` … `first + count - 1`; `out` is count × features, row by row.
    void read_rows(const std::string& layer, std::size_t first, std::size_t count,
                   std::span<float> out) const;

    struct Block {
        std::size_t first_row;
        std::size_t rows;
        std::size_t first_feature;
        std::size_t features;
        std::optional<std::size_t> time_bin = {};  ///< this one alone; else all there are
    };
    /// `out` is rows × features, or rows × time bins × features. The same. Quickest for whole
    /// chunks, which are of one time bin.
    void read_block(const std::string& layer, const Block& block, std::span<float> out) const {
        read_block(position(layer), block, out);
    }
    std::size_t rows_in_chunk(const std::string& layer) const;

private:
    std::size_t position(const std::string& layer) const;
    void read_block(std::size_t layer, const Block& block, std::span<float> out) const;
    bool read_deflated(std::size_t layer, const io::Block& block, std::span<float> out) const;
    bool read_past_cache(std::size_t layer, std::size_t first, std::size_t count,
                         std::span<float> out) const;
    void have_read(std::size_t layer, std::size_t bytes, double seconds) const;

    std::string path_;
    ReadAgain again_;
    SteadySize size_;
    Hdf5Handle file_;
    std::size_t row_count_ = 0;
    TimeBins time_bins_;
    std::vector<LayerShape> layers_;
    std::vector<Hdf5Handle> datasets_;
    std::vector<bool> compressed_;
    mutable std::vector<std::optional<DeflatedChunks>> deflated_;  ///< of the compressed ones
    std::vector<std::optional<ChunkPlaces>> chunks_;  ///< to be read past the page cache
    mutable std::optional<SlabReads> slabs_;
    mutable CopyCost cost_;  ///< of what is not compressed
};

}  // namespace ventral::io

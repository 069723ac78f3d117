#pragma once
/// @file
/// A file of activations (`activations_shape.hpp`), written. One thread of a rank at a time may
/// call any of this, and only the main thread what is collective.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/stimulus_set.hpp"
#include "core/time_bin.hpp"
#include "io/activations/activations_shape.hpp"
#include "io/activations/packed_rows.hpp"
#include "io/disk/durable_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/hdf5_output.hpp"

namespace ventral::io {

struct ActivationsHeader {
    std::string key;
    std::map<std::string, std::string> provenance;
    std::vector<LayerShape> layers;
    std::size_t batch_size = 1;     ///< a chunk holds the rows of one batch
    core::StimulusSet stimuli;      ///< one entry per row of the file
    int compression = 0;            ///< level of shuffle and deflate, 1 to 9; 0: none
    core::TimeBins time_bins = {};  ///< of all layers; none: there is no such dimension
};

/// Writes a file together with the other ranks of a group. Making, finishing and destroying are
/// collective; what fails on one rank is thrown on all. All of the file's space is taken when it is
/// made, so that a full disk is known before the network has run. The space of compressed rows is
/// not known then: rank 0 alone writes them, the others send it theirs.
class ActivationsWriter {
public:
    /// `comm` must outlive this. Throws `OutputError` (in a group of several ranks
    /// `comm::CollectiveError`) with the path if the file cannot be made.
    ActivationsWriter(std::string path, comm::Communicator& comm, const ActivationsHeader& header);
    /// Removes the file if it was never finished.
    ~ActivationsWriter();
    ActivationsWriter(const ActivationsWriter&) = delete;
    ActivationsWriter& operator=(const ActivationsWriter&) = delete;

    /// Each rank gives its own rows `first_row` … of a layer whenever it has them, of each row one
    /// time bin after the other. Whole batches (chunks) are fast, anything else is right too, but
    /// compressed rows have to be whole batches. Not collective: what fails is thrown on this rank
    /// alone.
    void write_rows(std::size_t layer, std::size_t first_row, std::span<const float> rows);
    /// The same of rows that are compressed already, for a file with compression.
    void write_packed(std::size_t layer, std::size_t first_row, const PackedRows& rows);

    /// Collective: syncs, closes, lets the ranks agree, reopens and verifies, then gives the file
    /// its name. Throws `std::logic_error` (in a group of several ranks `comm::CollectiveError`) if
    /// rows are missing.
    void finish();

    /// Collective, in place of `finish`: closes the file and has it removed without waiting for
    /// that (`TemporaryName::remove_apart`).
    void give_up();

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

}  // namespace ventral::io

#include "io/activations/activations_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hdf5.h>

#include "comm/mpi_handle.hpp"
#include "comm/mpi_session.hpp"
#include "comm/records.hpp"
#include "comm/run_collectively.hpp"
#include "comm/total.hpp"
#include "io/activations/activations_file.hpp"
#include "io/activations/activations_layout.hpp"

namespace ventral::io {

struct ActivationsWriter::Rows {
    std::size_t first;
    std::size_t count;
    const float* values;
};

/// Rows on their way to rank 0, one form of them.
struct ActivationsWriter::SentRows {
    std::size_t layer = 0;
    std::size_t first = 0;
    std::vector<float> values;
    PackedRows packed;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& layer& first& values& packed;
    }
};

namespace {

constexpr int rows_tag = 1;

/// {presentation, time bin, feature}, without the time bin where there is no such dimension.
std::vector<hsize_t> extent(std::vector<hsize_t> of_all, bool in_time) {
    if (!in_time) of_all.erase(of_all.begin() + 1);
    return of_all;
}

}  // namespace

ActivationsWriter::ActivationsWriter(std::string path, comm::Communicator& comm,
                                     const ActivationsHeader& header)
    : comm_(comm),
      path_(std::move(path)),
      row_count_(header.stimuli.stimulus_ids.size()),
      chunk_rows_(chunk_rows_of(header.batch_size, std::max<std::size_t>(row_count_, 1))),
      time_bins_(std::max<std::size_t>(header.time_bins.size(), 1)),
      in_time_(!header.time_bins.empty()),
      compression_(header.compression),
      layers_(header.layers),
      written_(header.layers.size(), 0),
      checksums_(header.layers.size(), 0),
      is_parallel_(comm::mpi_handle(comm) != MPI_COMM_NULL && compression_ == 0) {
    prepare_hdf5();
    comm::run_collectively(comm_, [&] {
        if (comm_.rank() != 0) return;
        name_.emplace(path_);
        create_activations_file(name_->path(), header);
    });
    temporary_ = comm_.broadcast(name_ ? name_->path() : "", 0);
    comm::run_collectively(comm_, [&] { open_on_this_rank(); });
}

ActivationsWriter::~ActivationsWriter() {
    if (comm_.size() > 1) comm::abort_if_alone();
    // Of a file that is given up: what is on its way would never arrive.
    try {
        receive_all(false);
    } catch (const std::exception&) {
    }
}

void ActivationsWriter::open_on_this_rank() {
    if (!writes_here()) return;
    output_.emplace(compression_ > 0 ? Hdf5Output::reopen(temporary_)
                                     : Hdf5Output::reopen_for_values(temporary_));
    for (const auto& layer : layers_) {
        const auto name = layer.name + "/" + activations_name;
        datasets_.emplace_back(H5Dopen2(output_->id(), name.c_str(), H5P_DEFAULT), H5Dclose, path_,
                               "open the layer '" + layer.name + "'");
    }
}

void ActivationsWriter::write_rows(std::size_t layer, std::size_t first_row,
                                   std::span<const float> rows) {
    if (layer >= layers_.size()) throw std::out_of_range(path_ + ": no such layer");
    const auto width = row_width(layer);
    if (rows.size() % width != 0) throw std::invalid_argument(path_ + ": part of a row");
    const Rows given{first_row, rows.size() / width, rows.data()};
    if (compression_ > 0 && given.count <= chunk_rows_)
        return write_packed(layer, first_row,
                            pack_rows(rows, {given.count, chunk_rows_, time_bins_}, compression_));
    check_rows(layer, given);
    if (writes_here())
        write_here(layer, given);
    else
        send({layer, first_row, {rows.begin(), rows.end()}, {}});
    written_[layer] += static_cast<std::int64_t>(given.count);
    add_checksum(layer, first_row, row_crcs(width, rows));
}

void ActivationsWriter::write_packed(std::size_t layer, std::size_t first_row,
                                     const PackedRows& rows) {
    if (layer >= layers_.size()) throw std::out_of_range(path_ + ": no such layer");
    check_rows(layer, {first_row, rows.rows, nullptr});
    if (comm_.rank() == 0) {
        write_packed_here(layer, first_row, rows);
        while (receive(true)) {
        }
    } else if (rows.rows > 0) {
        send({layer, first_row, {}, rows});
    }
    written_[layer] += static_cast<std::int64_t>(rows.rows);
    add_checksum(layer, first_row, rows.crcs);
}

void ActivationsWriter::add_checksum(std::size_t layer, std::size_t first_row,
                                     const std::vector<std::uint32_t>& crcs) {
    checksums_[layer] = (checksums_[layer] + checksum_of_rows(first_row, crcs)) % checksum_modulus;
}

void ActivationsWriter::check_rows(std::size_t layer, const Rows& rows) const {
    if (!output_ && writes_here()) throw std::logic_error(path_ + ": rows after finish");
    if (compression_ > 0 && rows.count > 0 &&
        (rows.first % chunk_rows_ != 0 ||
         rows.count != std::min(chunk_rows_, row_count_ - std::min(row_count_, rows.first))))
        throw std::out_of_range(path_ + ": compressed rows are whole batches");
    if (rows.first <= row_count_ && rows.count <= row_count_ - rows.first) return;
    throw std::out_of_range(path_ + ": layer '" + layers_[layer].name + "' has no row " +
                            std::to_string(rows.first + rows.count - 1));
}

// A chunk at a time, from memory in one piece: HDF5 would write it row by row.
void ActivationsWriter::write_here(std::size_t layer, const Rows& rows) {
    const auto features = feature_count(layers_[layer]);
    std::vector<float> piece;
    for (std::size_t bin = 0; bin < time_bins_; ++bin)
        for (std::size_t first = 0; first < features; first += chunk_features) {
            const auto width = std::min(chunk_features, features - first);
            piece.resize(rows.count * width);
            for (std::size_t r = 0; r < rows.count; ++r)
                std::copy_n(rows.values + (r * time_bins_ + bin) * features + first, width,
                            piece.data() + r * width);
            write_piece(layer, {rows.first, rows.count, piece.data()}, bin, first);
        }
    output_->check();
}

// Every chunk has its place in the file already, so that ranks need not agree on anything: a rank
// whose write fails leaves no other waiting, as it would inside MPI-IO.
void ActivationsWriter::write_piece(std::size_t layer, const Rows& rows, std::size_t time_bin,
                                    std::size_t feature) {
    if (rows.count == 0) return;
    const auto features = feature_count(layers_[layer]);
    const auto all = extent({row_count_, time_bins_, features}, in_time_);
    const auto start = extent({rows.first, time_bin, feature}, in_time_);
    const auto count =
        extent({rows.count, 1, std::min(chunk_features, features - feature)}, in_time_);
    const auto rank = static_cast<int>(all.size());
    const Hdf5Handle space(H5Screate_simple(rank, all.data(), nullptr), H5Sclose, path_,
                           "make a shape");
    const Hdf5Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, path_,
                            "make a shape");
    check_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                   nullptr),
               path_, "choose rows");
    const auto written = H5Dwrite(datasets_[layer].id(), H5T_NATIVE_FLOAT, memory.id(), space.id(),
                                  H5P_DEFAULT, rows.values);
    output_->check();
    check_hdf5(written, path_, "write activations of layer '" + layers_[layer].name + "'");
}

void ActivationsWriter::write_packed_here(std::size_t layer, std::size_t first_row,
                                          const PackedRows& rows) {
    constexpr std::uint32_t every_filter = 0;
    const auto in_a_bin = rows.chunks.size() / time_bins_;
    for (std::size_t c = 0; c < rows.chunks.size(); ++c) {
        const auto place =
            extent({first_row, c / in_a_bin, c % in_a_bin * chunk_features}, in_time_);
        const auto& chunk = rows.chunks[c];
        check_hdf5(H5Dwrite_chunk(datasets_[layer].id(), H5P_DEFAULT, every_filter, place.data(),
                                  chunk.size(), chunk.data()),
                   path_, "write activations of layer '" + layers_[layer].name + "'");
    }
    output_->check();
}

void ActivationsWriter::send(const SentRows& rows) {
    comm_.send(0, rows_tag, comm::pack(rows));
    ++sent_;
}

/// On rank 0 the next rows that have arrived from another; false if there are none.
bool ActivationsWriter::receive(bool and_write) {
    const auto message = comm_.try_receive(rows_tag);
    if (!message) return false;
    ++received_;
    if (!and_write) return true;
    const auto sent = comm::unpack<SentRows>(message->bytes);
    if (compression_ > 0)
        write_packed_here(sent.layer, sent.first, sent.packed);
    else
        write_here(sent.layer,
                   {sent.first, sent.values.size() / row_width(sent.layer), sent.values.data()});
    return true;
}

/// Rank 0 takes all that has been sent. Collective.
void ActivationsWriter::receive_all(bool and_write) {
    if (is_parallel_ || comm_.size() == 1) return;
    const auto sent = comm::total(comm_, sent_);
    comm::run_collectively(comm_, [&] {
        while (comm_.rank() == 0 && received_ < sent)
            if (!receive(and_write)) std::this_thread::yield();
    });
}

void ActivationsWriter::check_complete() {
    auto written = written_;
    comm_.sum(written);
    comm::run_collectively(comm_, [&] {
        for (std::size_t layer = 0; layer < layers_.size(); ++layer)
            if (static_cast<std::size_t>(written[layer]) != row_count_)
                throw std::logic_error(path_ + ": layer '" + layers_[layer].name + "' was given " +
                                       std::to_string(written[layer]) + " of " +
                                       std::to_string(row_count_) + " rows");
    });
}

void ActivationsWriter::finish() {
    check_complete();
    receive_all(true);
    comm::run_collectively(comm_, [&] {
        datasets_.clear();
        if (!output_) return;
        output_->close();
        output_.reset();
    });
    // What the ranks of a node have written one of them brings to disk: each would wait for all.
    const bool is_first_of_node = comm_.split_by_node()->rank() == 0;
    comm::run_collectively(comm_, [&] {
        if (writes_here() && is_first_of_node) sync_file(temporary_);
    });
    comm_.sum(checksums_);
    for (auto& checksum : checksums_) checksum %= checksum_modulus;
    comm::run_collectively(comm_, [&] {
        if (comm_.rank() != 0) return;
        mark_finished(name_->path(), layers_, checksums_);
        const ActivationsFile verified(name_->path());
        name_->commit();
    });
}

void ActivationsWriter::give_up() {
    datasets_.clear();
    output_.reset();
    comm_.barrier();  // whoever closes a removed file last waits until it is gone
    if (name_) name_->remove_apart();
}

}  // namespace ventral::io

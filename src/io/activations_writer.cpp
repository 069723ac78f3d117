#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

#include "comm/mpi_handle.hpp"
#include "comm/records.hpp"
#include "core/errors.hpp"
#include "io/activations_layout.hpp"

namespace ventral::io {

struct ActivationsWriter::Rows {
    std::size_t first;
    std::size_t count;
    const float* values;
};

namespace {

constexpr int rows_tag = 1;

/// Rows on their way to rank 0. The name tells them from those of a writer that never finished.
struct SentRows {
    std::string temporary;
    std::size_t layer = 0;
    std::size_t first = 0;
    std::vector<float> values;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& temporary& layer& first& values;
    }
};

}  // namespace

ActivationsWriter::ActivationsWriter(std::string path, comm::Communicator& comm,
                                     const ActivationsHeader& header)
    : comm_(comm),
      path_(std::move(path)),
      row_count_(header.stimuli.stimulus_ids.size()),
      layers_(header.layers),
      written_(header.layers.size(), 0),
      is_parallel_(comm::mpi_handle(comm) != MPI_COMM_NULL) {
    prepare_hdf5();
    comm::run_collectively(comm_, [&] {
        if (comm_.rank() != 0) return;
        name_.emplace(path_);
        create_activations_file(name_->path(), header);
    });
    temporary_ = comm_.broadcast(name_ ? name_->path() : "", 0);
    comm::run_collectively(comm_, [&] { open_on_this_rank(); });
}

void ActivationsWriter::open_on_this_rank() {
    if (!writes_here()) return;
    output_.emplace(Hdf5Output::reopen_for_values(temporary_));
    for (const auto& layer : layers_) {
        const auto name = layer.name + "/" + activations_name;
        datasets_.emplace_back(H5Dopen2(output_->id(), name.c_str(), H5P_DEFAULT), H5Dclose, path_,
                               "open the layer '" + layer.name + "'");
    }
}

void ActivationsWriter::write_rows(std::size_t layer, std::size_t first_row,
                                   std::span<const float> rows) {
    if (layer >= layers_.size()) throw std::out_of_range(path_ + ": no such layer");
    const auto features = feature_count(layers_[layer]);
    if (rows.size() % features != 0) throw std::invalid_argument(path_ + ": part of a row");
    const Rows given{first_row, rows.size() / features, rows.data()};
    check_rows(layer, given);
    if (writes_here())
        write_here(layer, given);
    else
        comm_.send(0, rows_tag,
                   comm::pack(SentRows{temporary_, layer, first_row, {rows.begin(), rows.end()}}));
    written_[layer] += static_cast<std::int64_t>(given.count);
}

void ActivationsWriter::check_rows(std::size_t layer, const Rows& rows) const {
    if (!output_ && writes_here()) throw std::logic_error(path_ + ": rows after finish");
    if (rows.first <= row_count_ && rows.count <= row_count_ - rows.first) return;
    throw std::out_of_range(path_ + ": layer '" + layers_[layer].name + "' has no row " +
                            std::to_string(rows.first + rows.count - 1));
}

// A chunk at a time, from memory in one piece: HDF5 would write it row by row.
void ActivationsWriter::write_here(std::size_t layer, const Rows& rows) {
    const auto features = feature_count(layers_[layer]);
    std::vector<float> piece;
    for (std::size_t first = 0; first < features; first += chunk_features) {
        const auto width = std::min(chunk_features, features - first);
        piece.resize(rows.count * width);
        for (std::size_t r = 0; r < rows.count; ++r)
            std::copy_n(rows.values + r * features + first, width, piece.data() + r * width);
        write_piece(layer, {rows.first, rows.count, piece.data()}, first);
    }
    output_->check();
}

// Every chunk has its place in the file already, so that ranks need not agree on anything: a rank
// whose write fails leaves no other waiting, as it would inside MPI-IO.
void ActivationsWriter::write_piece(std::size_t layer, const Rows& rows, std::size_t feature) {
    if (rows.count == 0) return;
    const auto features = feature_count(layers_[layer]);
    const hsize_t all[] = {row_count_, features};
    const hsize_t start[] = {rows.first, feature};
    const hsize_t count[] = {rows.count, std::min(chunk_features, features - feature)};
    const Hdf5Handle space(H5Screate_simple(2, all, nullptr), H5Sclose, path_, "make a shape");
    const Hdf5Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose, path_, "make a shape");
    check_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr),
               path_, "choose rows");
    const auto written = H5Dwrite(datasets_[layer].id(), H5T_NATIVE_FLOAT, memory.id(), space.id(),
                                  H5P_DEFAULT, rows.values);
    check_hdf5(written, path_, "write activations of layer '" + layers_[layer].name + "'");
}

/// In groups without MPI (ranks that are threads) rank 0 writes what the others have sent it.
void ActivationsWriter::write_received_rows() {
    if (is_parallel_ || comm_.rank() != 0) return;
    while (const auto message = comm_.try_receive(rows_tag)) {
        const auto sent = comm::unpack<SentRows>(message->bytes);
        if (sent.temporary != temporary_) continue;
        write_here(sent.layer, {sent.first, sent.values.size() / feature_count(layers_[sent.layer]),
                                sent.values.data()});
    }
}

void ActivationsWriter::check_complete() {
    auto written = written_;
    comm_.sum(written);
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        if (static_cast<std::size_t>(written[layer]) == row_count_) continue;
        throw std::logic_error(path_ + ": layer '" + layers_[layer].name + "' was given " +
                               std::to_string(written[layer]) + " of " +
                               std::to_string(row_count_) + " rows");
    }
}

void ActivationsWriter::finish() {
    check_complete();
    comm::run_collectively(comm_, [&] {
        write_received_rows();
        datasets_.clear();
        if (output_) output_->close();
        output_.reset();
    });
    comm::run_collectively(comm_, [&] {
        if (comm_.rank() != 0) return;
        mark_finished(name_->path());
        const ActivationsFile verified(name_->path());
        name_->commit();
    });
}

}  // namespace ventral::io

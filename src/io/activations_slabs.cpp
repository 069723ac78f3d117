#include "io/activations_slabs.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <hdf5.h>

#include "io/activations_file.hpp"
#include "io/hdf5_types.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t row_bytes = chunk_features * sizeof(float);
static_assert(row_bytes % direct_alignment == 0);

std::size_t pieces(std::size_t whole, std::size_t piece) { return (whole + piece - 1) / piece; }

bool is_aligned(const float* place) {
    return reinterpret_cast<std::uintptr_t>(place) % direct_alignment == 0;
}

/// A path to the file that HDF5 has open; empty if HDF5 reads it by other means than a descriptor.
std::string open_file(const Hdf5Object& file) {
    const Hdf5Handle list(H5Fget_access_plist(file.id), H5Pclose, file.path, "read the driver");
    void* descriptor = nullptr;
    if (H5Pget_driver(list.id()) != H5FD_SEC2 ||
        H5Fget_vfd_handle(file.id, H5P_DEFAULT, &descriptor) < 0)
        return {};
    return "/proc/self/fd/" + std::to_string(*static_cast<const int*>(descriptor));
}

/// Slabs in memory, row by row of chunks.
class Slabs {
public:
    Slabs(const ChunkPlaces& chunks, std::size_t first, std::size_t count, std::span<float> out,
          std::vector<float>& aside)
        : chunks_(chunks),
          first_(first / chunk_features),
          count_(count),
          out_(out.data()),
          parts_(pieces(count, chunk_features)) {
        const auto chunk = chunks.chunk_rows * chunk_features;
        const bool has_aside = !is_aligned(out_) || count % chunk_features > 0;
        if (!has_aside) return;
        // Where slabs are aligned, only the last, narrow one is put aside.
        const std::size_t chunks_aside = is_aligned(out_) ? 1 : parts_.size();
        aside.resize(chunks_aside * chunk + direct_alignment / sizeof(float));
        aside_ = aside.data();
        while (!is_aligned(aside_)) ++aside_;
    }

    bool read_rows(DirectReads& reads, std::size_t row) {
        const auto rows = std::min(chunks_.chunk_rows, chunks_.rows - row);
        for (std::size_t slab = 0; slab < parts_.size(); ++slab)
            parts_[slab] = {to(slab, row), rows * row_bytes};
        // Chunks that are not full have a gap behind them.
        const std::size_t together = rows == chunks_.chunk_rows ? parts_.size() : 1;
        for (std::size_t slab = 0; slab < parts_.size(); slab += together)
            if (!reads.read(address(slab, row), std::span(parts_).subspan(slab, together)))
                return false;
        for (std::size_t slab = 0; slab < parts_.size(); ++slab)
            if (is_aside(slab)) put_in_place(slab, row, rows);
        return true;
    }

private:
    std::size_t width(std::size_t slab) const {
        return std::min(chunk_features, count_ - slab * chunk_features);
    }
    float* place(std::size_t slab, std::size_t row) const {
        return out_ + slab * chunk_features * chunks_.rows + row * width(slab);
    }
    bool is_aside(std::size_t slab) const {
        return width(slab) < chunk_features || !is_aligned(out_);
    }
    float* to(std::size_t slab, std::size_t row) const {
        if (!is_aside(slab)) return place(slab, row);
        return aside_ + (is_aligned(out_) ? 0 : slab * chunks_.chunk_rows * chunk_features);
    }
    std::uint64_t address(std::size_t slab, std::size_t row) const {
        const auto chunk =
            row / chunks_.chunk_rows * pieces(chunks_.features, chunk_features) + first_ + slab;
        return chunks_.address + chunk * chunks_.chunk_rows * row_bytes;
    }
    void put_in_place(std::size_t slab, std::size_t row, std::size_t rows) const {
        for (std::size_t i = 0; i < rows; ++i)
            std::copy_n(to(slab, row) + i * chunk_features, width(slab), place(slab, row + i));
    }

    const ChunkPlaces& chunks_;
    std::size_t first_;  ///< chunk in a row of them
    std::size_t count_;
    float* out_;
    float* aside_ = nullptr;
    std::vector<iovec> parts_;
};

}  // namespace

std::optional<ChunkPlaces> chunk_places(const Hdf5Object& file, const Hdf5Handle& dataset) {
    const auto shape = shape_of(file.path, dataset.id());
    const Hdf5Handle list(H5Dget_create_plist(dataset.id()), H5Pclose, file.path,
                          "read the chunks");
    hsize_t chunk[2] = {};
    H5D_chunk_index_t index{};
    if (shape.size() != 2 || H5Pget_chunk(list.id(), 2, chunk) != 2 || chunk[1] != chunk_features ||
        H5Pget_nfilters(list.id()) != 0 || H5Dget_chunk_index_type(dataset.id(), &index) < 0 ||
        index != H5D_CHUNK_IDX_NONE)
        return std::nullopt;
    const hsize_t start[2] = {};
    haddr_t address = 0;
    hsize_t bytes = 0;
    check_hdf5(H5Dget_chunk_info_by_coord(dataset.id(), start, nullptr, &address, &bytes),
               file.path, "find the chunks");
    const auto chunks = pieces(shape[0], chunk[0]) * pieces(shape[1], chunk[1]);
    if (address % direct_alignment != 0 || bytes != chunk[0] * row_bytes ||
        address > std::filesystem::file_size(file.path) ||
        chunks * bytes > std::filesystem::file_size(file.path) - address)
        return std::nullopt;
    return ChunkPlaces{address, shape[0], shape[1], chunk[0]};
}

std::size_t slab_reading_bytes(std::size_t features, std::size_t chunk_rows) {
    if (features < chunk_features || features % chunk_features == 0) return 0;
    return chunk_rows * row_bytes + direct_alignment;
}

SlabReads::SlabReads(const Hdf5Object& file) : reads_(open_file(file)) {}

bool SlabReads::read(const ChunkPlaces& chunks, std::size_t first, std::size_t count,
                     std::span<float> out) {
    Slabs slabs(chunks, first, count, out, aside_);
    for (std::size_t row = 0; row < chunks.rows; row += chunks.chunk_rows)
        if (!slabs.read_rows(reads_, row)) return false;
    return true;
}

}  // namespace ventral::io

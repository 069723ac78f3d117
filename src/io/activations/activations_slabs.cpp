#include "io/activations/activations_slabs.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <hdf5.h>

#include "core/ceil_divide.hpp"
#include "io/activations/activations_shape.hpp"
#include "io/hdf5/hdf5_types.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t row_bytes = chunk_features * sizeof(float);
static_assert(row_bytes % direct_alignment == 0);

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

std::size_t chunks_aside(std::size_t chunk_rows) {
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    return std::clamp<std::size_t>(most_bytes / (chunk_rows * row_bytes), 1, ReadQueue::most_reads);
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
          aside_(aside) {}

    bool read(DirectReads& reads) {
        const auto slabs = core::ceil_divide(count_, chunk_features);
        const auto in_place = is_aligned(out_) ? count_ / chunk_features : 0;
        if (!read_in_place(reads, in_place)) return false;
        for (std::size_t slab = in_place; slab < slabs; ++slab)
            if (!read_aside(reads, slab)) return false;
        return true;
    }

private:
    /// The first `slabs`, which are in memory as in the file.
    bool read_in_place(DirectReads& reads, std::size_t slabs) const {
        std::vector<iovec> parts(slabs * core::ceil_divide(chunks_.rows, chunks_.chunk_rows));
        std::vector<WantedBytes> wanted;
        auto left = std::span(parts);
        for (std::size_t row = 0; row < chunks_.rows && slabs > 0; row += chunks_.chunk_rows) {
            for (std::size_t slab = 0; slab < slabs; ++slab)
                left[slab] = {place(slab, row), rows_at(row) * row_bytes};
            // Chunks that are not full have a gap behind them.
            const std::size_t together = rows_at(row) == chunks_.chunk_rows ? slabs : 1;
            for (std::size_t slab = 0; slab < slabs; slab += together)
                wanted.push_back({address(slab, row), left.subspan(slab, together)});
            left = left.subspan(slabs);
        }
        return reads.read(wanted);
    }

    bool read_aside(DirectReads& reads, std::size_t slab) {
        const auto chunk = chunks_.chunk_rows * chunk_features;
        const auto at_once = chunks_aside(chunks_.chunk_rows);
        auto* aside = aligned_aside(at_once * chunk);
        for (std::size_t begin = 0; begin < chunks_.rows; begin += at_once * chunks_.chunk_rows) {
            const auto end = std::min(chunks_.rows, begin + at_once * chunks_.chunk_rows);
            std::vector<iovec> parts(core::ceil_divide(end - begin, chunks_.chunk_rows));
            std::vector<WantedBytes> wanted;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const auto row = begin + i * chunks_.chunk_rows;
                parts[i] = {aside + i * chunk, rows_at(row) * row_bytes};
                wanted.push_back({address(slab, row), std::span(parts).subspan(i, 1)});
            }
            if (!reads.read(wanted)) return false;
            for (std::size_t row = begin; row < end; ++row)
                std::copy_n(aside + (row - begin) * chunk_features, width(slab), place(slab, row));
        }
        return true;
    }

    float* aligned_aside(std::size_t size) {
        aside_.resize(size + direct_alignment / sizeof(float));
        auto* aside = aside_.data();
        while (!is_aligned(aside)) ++aside;
        return aside;
    }
    std::size_t rows_at(std::size_t row) const {
        return std::min(chunks_.chunk_rows, chunks_.rows - row);
    }
    std::size_t width(std::size_t slab) const {
        return std::min(chunk_features, count_ - slab * chunk_features);
    }
    float* place(std::size_t slab, std::size_t row) const {
        return out_ + slab * chunk_features * chunks_.rows + row * width(slab);
    }
    std::uint64_t address(std::size_t slab, std::size_t row) const {
        const auto chunk =
            row / chunks_.chunk_rows * core::ceil_divide(chunks_.features, chunk_features) +
            first_ + slab;
        return chunks_.address + chunk * chunks_.chunk_rows * row_bytes;
    }

    const ChunkPlaces& chunks_;
    std::size_t first_;  ///< chunk in a row of them
    std::size_t count_;
    float* out_;
    std::vector<float>& aside_;
};

}  // namespace

std::optional<ChunkPlaces> chunk_places(const Hdf5Object& file, const Hdf5Handle& dataset) {
    const auto shape = shape_of(file.path, dataset.id());
    const auto [chunk, filters] = chunk_layout_of(file.path, dataset.id());
    H5D_chunk_index_t index{};
    if (chunk.size() != 2 || chunk[1] != chunk_features || filters != 0 ||
        H5Dget_chunk_index_type(dataset.id(), &index) < 0 || index != H5D_CHUNK_IDX_NONE)
        return std::nullopt;
    const hsize_t start[2] = {};
    haddr_t address = 0;
    hsize_t bytes = 0;
    check_hdf5(H5Dget_chunk_info_by_coord(dataset.id(), start, nullptr, &address, &bytes),
               file.path, "find the chunks");
    const auto chunks = core::ceil_divide<hsize_t>(shape[0], chunk[0]) *
                        core::ceil_divide<hsize_t>(shape[1], chunk[1]);
    if (address % direct_alignment != 0 || bytes != chunk[0] * row_bytes ||
        address > std::filesystem::file_size(file.path) ||
        chunks * bytes > std::filesystem::file_size(file.path) - address)
        return std::nullopt;
    return ChunkPlaces{address, shape[0], shape[1], chunk[0]};
}

std::size_t slab_reading_bytes(std::size_t features, std::size_t chunk_rows) {
    if (features < chunk_features || features % chunk_features == 0) return 0;
    return chunks_aside(chunk_rows) * chunk_rows * row_bytes + direct_alignment;
}

SlabReads::SlabReads(const Hdf5Object& file) : reads_(open_file(file)) {}

bool SlabReads::read(const ChunkPlaces& chunks, std::size_t first, std::size_t count,
                     std::span<float> out) {
    return Slabs(chunks, first, count, out, aside_).read(reads_);
}

}  // namespace ventral::io

#include "io/activations/packed_rows.hpp"

#include <algorithm>
#include <cassert>
#include <new>

#include <zlib.h>

#include "core/hash.hpp"
#include "io/activations/activations_shape.hpp"

namespace ventral::io {
namespace {

/// Byte 0 of all values, then byte 1 of all: neighbours have more in common.
std::string shuffled(const std::vector<float>& values) {
    const auto count = values.size();
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    std::string sorted(count * sizeof(float), '\0');
    for (std::size_t byte = 0; byte < sizeof(float); ++byte)
        for (std::size_t i = 0; i < count; ++i)
            sorted[byte * count + i] = bytes[i * sizeof(float) + byte];
    return sorted;
}

std::string deflated(const std::string& bytes, int level) {
    auto size = compressBound(bytes.size());
    std::string packed(size, '\0');
    const auto result =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    assert(result == Z_OK);
    packed.resize(size);
    packed.shrink_to_fit();
    return packed;
}

}  // namespace

std::vector<std::uint32_t> row_crcs(std::size_t features, std::span<const float> values) {
    return core::crc32c_of_each(std::as_bytes(values), features * sizeof(float));
}

PackedRows pack_rows(std::span<const float> values, const RowsToPack& what, int level) {
    const auto rows = what.rows;
    PackedRows packed{rows, {}, {}};
    if (rows == 0) return packed;
    assert(rows <= what.chunk_rows && values.size() % (rows * what.time_bins) == 0);
    const auto row_width = values.size() / rows;
    const auto features = row_width / what.time_bins;
    const auto width = std::min(features, chunk_features);
    packed.crcs = row_crcs(row_width, values);
    for (std::size_t bin = 0; bin < what.time_bins; ++bin)
        for (std::size_t first = 0; first < features; first += width) {
            // Chunks are stored whole: what is beyond the last row or feature is zero.
            std::vector<float> chunk(what.chunk_rows * width, 0.0F);
            const auto count = std::min(width, features - first);
            for (std::size_t r = 0; r < rows; ++r)
                std::copy_n(values.data() + r * row_width + bin * features + first, count,
                            chunk.data() + r * width);
            packed.chunks.push_back(deflated(shuffled(chunk), level));
        }
    return packed;
}

}  // namespace ventral::io

#pragma once
/// @file
/// Rows of activations as compressed chunks of a file. Compressing takes far longer than writing:
/// any thread may do it, and before there is a file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ventral::io {

/// The rows of one batch in one layer.
struct PackedRows {
    std::size_t rows = 0;
    std::vector<std::string> chunks;  ///< along the features, one time bin after the other
    std::vector<std::uint32_t> crcs;  ///< of the rows before they were packed

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& rows& chunks& crcs;
    }
};

/// CRC-32C of each row of `features` values.
std::vector<std::uint32_t> row_crcs(std::size_t features, std::span<const float> values);

/// What rows are packed: at most as many as a chunk has.
struct RowsToPack {
    std::size_t rows = 0;
    std::size_t chunk_rows = 0;
    std::size_t time_bins = 1;
};

/// `values` is rows × time bins × features; the bytes are those of HDF5's filters shuffle and
/// deflate of `level` (1 to 9).
PackedRows pack_rows(std::span<const float> values, const RowsToPack& what, int level);

}  // namespace ventral::io

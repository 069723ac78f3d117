#pragma once
/// @file
/// Arrays of any length through calls that count in `int`.

#include <algorithm>
#include <cstddef>
#include <span>

namespace ventral::comm {

constexpr std::size_t piece_bytes = std::size_t{256} << 20;

/// Calls `use(first, count)` on consecutive pieces of `array` of at most `limit` bytes.
template <typename T, typename Use>
void for_each_piece(std::span<T> array, const Use& use, std::size_t limit = piece_bytes) {
    const auto longest = std::max<std::size_t>(1, limit / sizeof(T));
    while (!array.empty()) {
        const auto piece = array.first(std::min(longest, array.size()));
        use(piece.data(), static_cast<int>(piece.size()));
        array = array.subspan(piece.size());
    }
}

}  // namespace ventral::comm

#include "models/recording/channels_first.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ventral::models {
namespace {

using Eight [[gnu::vector_size(32)]] = float;
constexpr std::size_t side = 8;

/// Transposes `side` × `side` values in registers: pairs, then quarters, then halves.
void copy_square(const float* from, std::size_t from_step, float* to, std::size_t to_step) {
    std::array<Eight, side> rows;
    std::array<Eight, side> mixed;
    for (std::size_t i = 0; i < side; ++i)
        std::memcpy(&rows[i], from + i * from_step, sizeof(Eight));
    for (std::size_t i = 0; i < side; i += 2) {
        mixed[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        mixed[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (std::size_t first = 0; first < side; first += 4)
        for (std::size_t i = first; i < first + 2; ++i) {
            rows[i] = __builtin_shufflevector(mixed[i], mixed[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            rows[i + 2] =
                __builtin_shufflevector(mixed[i], mixed[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (std::size_t i = 0; i < side / 2; ++i) {
        mixed[i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        mixed[i + 4] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (std::size_t i = 0; i < side; ++i) std::memcpy(to + i * to_step, &mixed[i], sizeof(Eight));
}

}  // namespace

void copy_channels_first(const float* from, std::size_t area, std::size_t channels, float* to) {
    constexpr std::size_t strip = 64;  // places whose lines stay in the cache for all channels
    const auto whole_places = area / side * side;
    const auto whole_channels = channels / side * side;
    for (std::size_t first = 0; first < whole_places; first += strip)
        for (std::size_t c = 0; c < whole_channels; c += side)
            for (std::size_t p = first; p < std::min(first + strip, whole_places); p += side)
                copy_square(from + p * channels + c, channels, to + c * area + p, area);
    for (std::size_t p = 0; p < area; ++p)
        for (std::size_t c = p < whole_places ? whole_channels : 0; c < channels; ++c)
            to[c * area + p] = from[p * channels + c];
}

}  // namespace ventral::models

#include "models/channels_first.hpp"

#include <algorithm>

namespace ventral::models {

void copy_channels_first(const float* from, std::size_t area, std::size_t channels, float* to) {
    constexpr std::size_t side = 16;  // a line of the cache: squares of it stay in the first level
    for (std::size_t place = 0; place < area; place += side)
        for (std::size_t channel = 0; channel < channels; channel += side) {
            const auto last_place = std::min(place + side, area);
            const auto last_channel = std::min(channel + side, channels);
            for (std::size_t c = channel; c < last_channel; ++c)
                for (std::size_t p = place; p < last_place; ++p)
                    to[c * area + p] = from[p * channels + c];
        }
}

}  // namespace ventral::models

#include "models/recording/channels_first.hpp"

#include <vector>

#include <catch2/catch.hpp>

TEST_CASE("every value goes to the place of its channel") {
    const std::size_t area = GENERATE(1, 15, 16, 49, 169);
    const std::size_t channels = GENERATE(1, 3, 16, 35);
    std::vector<float> from;
    for (std::size_t p = 0; p < area; ++p)
        for (std::size_t c = 0; c < channels; ++c) from.push_back(static_cast<float>(1000 * c + p));
    std::vector<float> to(from.size(), -1);
    ventral::models::copy_channels_first(from.data(), area, channels, to.data());
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t p = 0; p < area; ++p)
            CHECK(to[c * area + p] == static_cast<float>(1000 * c + p));
}

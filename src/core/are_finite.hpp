#pragma once
/// @file
/// Whether values are numbers: none is NaN or infinite.

#include <bit>
#include <cstdint>
#include <span>

namespace ventral::core {

/// Without a branch, so that many are looked at in one step.
inline bool are_finite(std::span<const float> values) {
    constexpr std::uint32_t exponent = 0x7f800000;
    std::uint32_t odd = 0;
    for (const float value : values)
        odd |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) ==
                                          exponent);
    return odd == 0;
}

}  // namespace ventral::core

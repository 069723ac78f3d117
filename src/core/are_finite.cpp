#include "core/are_finite.hpp"

#include <bit>
#include <cstdint>

namespace ventral::core {

bool are_finite(std::span<const float> values) {
    constexpr std::uint32_t exponent = 0x7f800000;
    std::uint32_t odd = 0;
    for (const float value : values)  // without a branch: many are looked at in one step
        odd |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) ==
                                          exponent);
    return odd == 0;
}

}  // namespace ventral::core

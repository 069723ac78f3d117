#include "stats/logistic/float_exp.hpp"

#include <cmath>
#include <limits>

namespace ventral::stats {
namespace {

constexpr float overflows_from = 88.72283935546875F;
constexpr float vanishes_to = -103.97208404541015625F;
constexpr float log2_e = 1.442695040888963407F;
constexpr float rounds_to_whole = 0x1.8p23F;
constexpr float ln2_high = 6.93145752e-1F;
constexpr float ln2_low = 1.42860677e-6F;

float numerator(float r) {
    float value = std::fma(5.082762527590693718096e-04F, r, 6.757896990527504603057e-03F);
    value = std::fma(value, r, 5.114512081637298353406e-02F);
    value = std::fma(value, r, 2.473615434895520810817e-01F);
    value = std::fma(value, r, 7.257664613233124478488e-01F);
    return std::fma(value, r, 9.999999999980870924916e-01F);
}

float denominator(float r) {
    const float value = std::fma(2.159509375685829852307e-02F, r, -2.742335390411667452936e-01F);
    return std::fma(value, r, 1.0F);
}

}  // namespace

float float_exp(float x) {
    if (std::isnan(x)) return x;
    if (x >= overflows_from) return std::numeric_limits<float>::infinity();
    if (x <= vanishes_to) return 0;
    const float k = std::fma(x, log2_e, rounds_to_whole) - rounds_to_whole;
    const float r = std::fma(k, -ln2_low, std::fma(k, -ln2_high, x));
    return std::ldexp(numerator(r) / denominator(r), static_cast<int>(k));
}

}  // namespace ventral::stats

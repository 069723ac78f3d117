#pragma once
/// @file
/// The exponential of float32 as NumPy computes it, for readouts that the reference makes in
/// float32. Of float64 `std::exp` is the one to use: there both are right to the last bit or so.

#include <cmath>

namespace ventral::stats {

/// Equals `numpy.exp` of a float32 array on processors with AVX2 or AVX-512 bit for bit: x = k ln 2
/// + r with ln 2 in two parts (W. Cody, W. Waite, 1980), then a ratio of polynomials of degrees 5
/// and 2 in r, whose coefficients are those of NumPy's `npy_simd_data.h`. Wrong by at most 2.52
/// units of the last place. Infinite from 88.72284 on, 0 up to -103.97208; NaN stays NaN.
float float_exp(float x);

/// NumPy's of either type.
inline float exponential(float x) { return float_exp(x); }
inline double exponential(double x) { return std::exp(x); }

}  // namespace ventral::stats

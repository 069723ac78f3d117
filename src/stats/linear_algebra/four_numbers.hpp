#pragma once
/// @file
/// Four features of a row at a time, in float64 whatever their type.

#include <immintrin.h>

#ifndef __AVX2__
#error "the program needs at least AVX2: VENTRAL_ARCH=x86-64-v3 or better"
#endif

namespace ventral::stats {

inline __m256d load_four(const double* from) { return _mm256_loadu_pd(from); }
inline __m256d load_four(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }

}  // namespace ventral::stats

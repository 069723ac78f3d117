#pragma once
/// @file
/// Whether a test can compare both widths of registers.

#include <catch2/catch.hpp>

#include "stats/linear_algebra/panel_kernels.hpp"

namespace ventral::test {

/// False, with a message, where the processor has no AVX-512.
inline bool has_both_widths() {
    if (stats::vector_width() == stats::VectorWidth::avx512) return true;
    WARN("skipped: this processor has no AVX-512, or may not use it");
    return false;
}

}  // namespace ventral::test

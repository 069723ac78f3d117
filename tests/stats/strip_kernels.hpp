#pragma once
/// @file
/// The instruction sets that a test of the Gram's products can try.

#include <vector>

#include "stats/gram/strip_products.hpp"

namespace ventral::test {

inline std::vector<stats::StripKernel> kernels_of_this_processor() {
    if (__builtin_cpu_supports("avx512f"))
        return {stats::StripKernel::avx2, stats::StripKernel::avx512};
    return {stats::StripKernel::avx2};
}

}  // namespace ventral::test

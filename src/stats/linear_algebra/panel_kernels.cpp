#include "stats/linear_algebra/panel_kernels.hpp"

#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::stats {

VectorWidth vector_width() {
    static const bool wide = may_use_avx512();
    return wide ? VectorWidth::avx512 : VectorWidth::avx2;
}

const PanelKernels& panel_kernels(VectorWidth width) {
    return width == VectorWidth::avx512 ? avx512_panel_kernels : avx2_panel_kernels;
}

}  // namespace ventral::stats

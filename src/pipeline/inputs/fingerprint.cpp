#include "pipeline/inputs/fingerprint.hpp"

#include <cstddef>

#include "comm/run_collectively.hpp"
#include "models/runtime/torch_runtime.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"

namespace ventral::pipeline {

std::string own_fingerprint() {
    return stats::numerics_fingerprint() + "; " + models::torch_fingerprint();
}

std::string agreed_fingerprint(comm::Communicator& world) {
    auto own = own_fingerprint();
    const auto all = world.all_gather(own);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank] != all[0])
            throw comm::CollectiveError(
                static_cast<int>(rank),
                "computes with other numerics than rank 0 (" + all[rank] + " against " + all[0] +
                    ") run on nodes of one kind, or set OPENBLAS_CORETYPE alike everywhere (and "
                    "CUDA_VISIBLE_DEVICES to nothing where no network needs a GPU)");
    return own;
}

}  // namespace ventral::pipeline

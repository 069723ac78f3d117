#include <cstdlib>

#include "comm/communicator.hpp"

namespace ventral::comm {

bool under_mpiexec() {
    // Not SLURM_NTASKS or SLURM_PROCID: a batch script has them too and is no rank.
    for (const auto* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
        if (std::getenv(name)) return true;
    }
    return false;
}

}  // namespace ventral::comm

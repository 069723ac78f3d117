#include <cstdlib>

#include <catch2/catch.hpp>

#include "comm/communicator.hpp"

using ventral::comm::under_mpiexec;

TEST_CASE("only the variables of mpiexec and srun make a process a rank") {
    for (const auto* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
        setenv(name, "0", 1);
        CHECK(under_mpiexec());
        unsetenv(name);
    }
    // A batch script has these too.
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_NTASKS", "2", 1);
    CHECK_FALSE(under_mpiexec());
}

#include "comm/mpi_session.hpp"

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"
#include "support/ranks.hpp"

using namespace ventral::comm;

TEST_CASE("groups have an MPI communicator under mpiexec only") {
    ventral::test::on_ranks([](Communicator& comm) {
        if (!under_mpiexec()) {
            CHECK(mpi_handle(comm) == MPI_COMM_NULL);
            return;
        }
        int size = 0;
        check_mpi(MPI_Comm_size(mpi_handle(comm), &size));
        CHECK(size == comm.size());
    });
}

TEST_CASE("an MPI error is an exception with MPI's words") {
    if (!under_mpiexec()) return;
    const auto world = make_mpi_world();
    const int nobody = world->size();
    CHECK_THROWS_WITH(check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, nobody, 0, mpi_handle(*world))),
                      Catch::StartsWith("MPI: ") && Catch::Contains("rank"));
    CHECK_NOTHROW(check_mpi(MPI_SUCCESS));
}

TEST_CASE("without MPI, aborting the job ends this process with the code") {
    if (under_mpiexec()) return;
    const pid_t child = fork();
    if (child == 0) abort_job(75);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 75);
}

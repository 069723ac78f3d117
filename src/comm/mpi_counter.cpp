#include "comm/mpi_counter.hpp"

#include <cstdint>

#include "comm/mpi_check.hpp"
#include "comm/mpi_window.hpp"

namespace ventral::comm {
namespace {

class MpiCounter final : public Counter {
public:
    explicit MpiCounter(MPI_Comm comm) {
        int rank = 0;
        check_mpi(MPI_Comm_rank(comm, &rank));
        std::int64_t* value = nullptr;
        const MPI_Aint size = rank == 0 ? sizeof(std::int64_t) : 0;
        check_mpi(MPI_Win_allocate(size, sizeof(std::int64_t), MPI_INFO_NULL, comm, &value,
                                   window_.address()));
        if (rank == 0) *value = 0;
        window_.open();
        check_mpi(MPI_Win_sync(window_.handle()));
        check_mpi(MPI_Barrier(comm));
    }

    std::int64_t next() override {
        const std::int64_t one = 1;
        std::int64_t number = 0;
        check_mpi(MPI_Fetch_and_op(&one, &number, MPI_INT64_T, 0, 0, MPI_SUM, window_.handle()));
        check_mpi(MPI_Win_flush(0, window_.handle()));
        return number;
    }

private:
    Window window_;
};

}  // namespace

std::unique_ptr<Counter> make_mpi_counter(MPI_Comm comm) {
    return std::make_unique<MpiCounter>(comm);
}

}  // namespace ventral::comm
